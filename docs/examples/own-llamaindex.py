"""An own approach with LlamaIndex: its chunks, its BM25. pip install llama-index-core llama-index-retrievers-bm25"""
import json
import sys

from llama_index.core import Document
from llama_index.core.node_parser import SentenceSplitter
from llama_index.retrievers.bm25 import BM25Retriever

splitter = SentenceSplitter(chunk_size=256, chunk_overlap=32)
documents = []
retriever = None


def ingest(message):
    global retriever
    if message["part"] == 1:
        documents.clear()
    for each in message["documents"]:
        documents.append(Document(text=each["text"], doc_id=each["id"], metadata={"title": each["title"]}))
    if message["part"] == message["parts"]:
        nodes = splitter.get_nodes_from_documents(documents)
        retriever = BM25Retriever.from_defaults(nodes=nodes, similarity_top_k=min(4, len(nodes)))
    return {}


def answer(message):
    found = retriever.retrieve(message["question"])
    contexts = [{"text": one.get_content(), "title": one.metadata["title"], "document": one.node.ref_doc_id,
                 "score": float(one.score)} for one in found]
    return {"answer": contexts[0]["text"], "contexts": contexts}  # Call your model here instead.


for line in sys.stdin:
    message = json.loads(line)
    try:
        reply = ingest(message) if message.get("op") == "ingest" else answer(message)
    except Exception as error:
        reply = {"error": repr(error)}
    print(json.dumps({"id": message["id"], **reply}), flush=True)
