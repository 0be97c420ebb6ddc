"""Calls the Python client as the cases ask: one JSON object a line in, one out."""

import json
import sys

from loyalty_partner_pos import CallTimes, PosClient, SalePatience, Service
from loyalty_partner_pos.calculate import json_of

for line in sys.stdin:
    asked = json.loads(line)
    times = CallTimes(asked["attemptMs"] / 1000, asked["attemptMs"] / 1000 * 6)
    pause_s = asked.get("pauseMs", 1) / 1000
    patience = SalePatience(timeout_s=5, pause_s=pause_s, pause_max_s=8 * pause_s)
    client = PosClient(Service(asked["url"], asked["secret"]), asked["folder"], times, patience)
    if "returned" in asked:
        sent = client.record_return(asked["returned"])
        found = sent.answer or {}
        answer = {"end": sent.kind, "result": found.get("result"), "refund": found.get("refund")}
    elif "basket" in asked:
        done = client.calculate(asked["basket"], {each["productId"]: each["unitPrice"] for each in asked["prices"]})
        answer = {
            "status": done.status,
            "reason": done.reason,
            "failureReason": done.failure_reason,
            "charged": json.loads(json_of(done.charged)),
        }
    else:
        recording = client.record(asked["sale"])
        if asked.get("leave"):
            client.close()
        end = recording.result(30)
        answer = {"end": end.kind, "attempts": end.attempts, "waiting": client.waiting}
    client.close()
    print(json.dumps(answer), flush=True)
