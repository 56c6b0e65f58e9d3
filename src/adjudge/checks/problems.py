"""What is wrong with a parameter, for the message of whoever knows where it stands."""


class ParameterError(ValueError):
    """`problem` follows the parameter's name; `hint` says what to write."""

    def __init__(self, problem: str, hint: str) -> None:
        super().__init__(f"{problem}: {hint}")
        self.problem = problem
        self.hint = hint
