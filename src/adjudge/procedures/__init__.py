"""How a case is judged: generators that yield requests, receive completions and return a ruling; one module per way of judging."""
