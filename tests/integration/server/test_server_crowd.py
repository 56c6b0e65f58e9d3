"""Many readers at once, with a judge at work on the same store."""

import asyncio

import aiohttp
from jsonl import write_lines
from served import finish_runs, listening

from adjudge.server.service import open_service

READERS = 200
REPLY = {
    "reason": "Equal.",
    "contradicts": False,
    "misses_critical": False,
    "calculation": False,
    "numbers": [],
}
CASES = [
    {
        "id": f"c{number}",
        "question": f"What is {number} + 1?",
        "response": str(number + 1),
        "reference": str(number + 1),
    }
    for number in range(400)
]


async def crowd(service, address):
    headers = {"Authorization": f"Bearer {address.token}"}
    connector = aiohttp.TCPConnector(limit=READERS)
    async with aiohttp.ClientSession(address.api_url, headers=headers, connector=connector) as session:
        order = {"judges": ["correctness"], "cases": CASES, "name": "busy"}
        async with session.post("/api/runs", json=order) as answer:
            assert answer.status == 202, await answer.text()

        async def read(number):
            found = []
            for path in ("/", "/api/runs", "/judges", "/api/runs?q=busy")[number % 2 :: 2]:
                async with session.get(path) as answer:
                    await answer.read()
                    found.append((path, answer.status))
            return found

        seen = [each for some in await asyncio.gather(*map(read, range(READERS))) for each in some]
        await asyncio.to_thread(finish_runs, service)
        async with session.get("/api/runs") as answer:
            (run,) = (await answer.json())["runs"]
    return seen, run


def test_two_hundred_readers_are_answered_while_a_run_resumes(tmp_path):
    replies = tmp_path / "replies.jsonl"
    rows = [{"case_id": case["id"], "judge": "correctness", "reply": REPLY} for case in CASES]
    write_lines(replies, rows)
    with (
        open_service(str(tmp_path / "store"), models=[f"scripted:{replies}"]) as service,
        listening(service) as address,
    ):
        seen, run = asyncio.run(crowd(service, address))
    assert len(seen) == READERS * 2
    assert {status for _, status in seen} == {200}, {each for each in seen if each[1] != 200}
    assert run["state"] == "finished"
    assert run["headlines"][0]["judged"] == len(CASES)
