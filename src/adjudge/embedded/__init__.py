"""The small trained judge: a base model, our adapter, and the questions it was trained to answer."""
