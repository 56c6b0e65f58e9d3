"""Case + Judge -> Prompt: fill the inputs, fence what is hostile, render the template."""
