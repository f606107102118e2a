"""Scores records with Ragas: for each line of standard input (one record as JSON) prints one line with its scores.

The replies of the evaluator model are replayed: Ragas gets, in its own forms, the statements, verdicts and generated questions that our
evaluator's model returned for the same record, so that both compute from the same replies. A generated question is embedded so that its
cosine to the user's question is the recorded one.
"""

import asyncio
import json
import math
import sys

from ragas.embeddings.base import BaseRagasEmbedding
from ragas.llms.base import InstructorBaseRagasLLM
from ragas.metrics.collections import AnswerRelevancy, ContextPrecision, ContextRecall, Faithfulness


class ReplayedModel(InstructorBaseRagasLLM):
    def __init__(self, reasons):
        self.statements = reasons.get("faithfulness", {}).get("statements", [])
        self.questions = iter(reasons.get("answer_relevancy", {}).get("questions", []))
        self.contexts = iter(reasons.get("context_precision", {}).get("contexts", []))
        self.attributions = reasons.get("context_recall", {}).get("statements", [])

    def reply(self, name):
        if name == "StatementGeneratorOutput":
            return {"statements": [each["statement"] for each in self.statements]}
        if name == "NLIStatementOutput":
            return {"statements": self.statements}
        if name == "AnswerRelevanceOutput":
            each = next(self.questions, {"question": "", "noncommittal": 0})
            return {"question": each["question"], "noncommittal": each["noncommittal"]}
        if name == "ContextPrecisionOutput":
            each = next(self.contexts)
            return {"reason": each["reason"], "verdict": each["verdict"]}
        if name == "ContextRecallOutput":
            return {"classifications": self.attributions}
        raise ValueError(f"no reply for {name}")

    def generate(self, prompt, response_model):
        return response_model(**self.reply(response_model.__name__))

    async def agenerate(self, prompt, response_model):
        return self.generate(prompt, response_model)


class RecordedEmbedding(BaseRagasEmbedding):
    def __init__(self, question, generated):
        self.vectors = {each["question"]: angle(each["cosine"]) for each in generated}
        self.vectors[question] = [1.0, 0.0]

    def embed_text(self, text, **_):
        return self.vectors[text]

    async def aembed_text(self, text, **_):
        return self.vectors[text]


def angle(cosine):
    return [cosine, math.sqrt(max(0.0, 1.0 - cosine * cosine))]


async def scores_of(record):
    reasons = record["reasons"]
    model = ReplayedModel(reasons)
    question, answer, contexts = record["question"], record["answer"], record["contexts"]
    generated = reasons.get("answer_relevancy", {}).get("questions", [])
    scores = {}
    if "faithfulness" in reasons:
        metric = Faithfulness(llm=model)
        scores["faithfulness"] = await metric.ascore(user_input=question, response=answer, retrieved_contexts=contexts)
    if "answer_relevancy" in reasons:
        embeddings = RecordedEmbedding(question, generated)
        metric = AnswerRelevancy(llm=model, embeddings=embeddings, strictness=len(generated))
        scores["answer_relevancy"] = await metric.ascore(user_input=question, response=answer)
    if "context_precision" in reasons:
        metric = ContextPrecision(llm=model)
        scores["context_precision"] = await metric.ascore(
            user_input=question, reference=record["reference"], retrieved_contexts=contexts
        )
    if "context_recall" in reasons:
        metric = ContextRecall(llm=model)
        scores["context_recall"] = await metric.ascore(
            user_input=question, reference=record["reference"], retrieved_contexts=contexts
        )
    return {name: result.value for name, result in scores.items()}


async def main():
    for line in sys.stdin:
        record = json.loads(line)
        print(json.dumps({"id": record["id"], "scores": await scores_of(record)}), flush=True)


asyncio.run(main())
