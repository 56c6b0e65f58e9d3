"""An asker whose probabilities are written down, for the code around the small model."""

from adjudge.embedded.model.small_model import ModelAnswer


class ScriptedAsker:
    """`correct` is one probability; `states` and `supported` map a statement to one (else 0); the others list their steps."""

    def __init__(self, *, correct=0.5, states=None, relevant=(), helpful=(), supported=None):
        self.probability = correct
        self.stated = states or {}
        self.grounds = supported or {}
        self.steps = {"relevant": list(relevant), "helpful": list(helpful)}
        self.asked = []

    async def correct(self, *, question, expected, response):
        self.asked.append(("correct", question, list(expected), response))
        return ModelAnswer([self.probability], 10)

    async def states(self, *, text, statements):
        self.asked.append(("states", text, list(statements)))
        return ModelAnswer([self.stated.get(statement, 0.0) for statement in statements], 20)

    async def relevant(self, *, question, response):
        self.asked.append(("relevant", question, response))
        return ModelAnswer(self.steps["relevant"], 30)

    async def helpful(self, *, question, response):
        self.asked.append(("helpful", question, response))
        return ModelAnswer(self.steps["helpful"], 30)

    async def supported(self, *, context, claims):
        self.asked.append(("supported", context, list(claims)))
        return ModelAnswer([self.grounds.get(claim, 0.0) for claim in claims], 40)
