# Extracts the graph of records by a real LightRAG, whose model is a service of rules, and prints its entities and relations as JSON.
#   python lightrag-extraction.py RECORDS.json FOLDER MODEL_URL
import asyncio
import json
import sys
import urllib.request

import numpy as np
from lightrag import LightRAG
from lightrag.utils import EmbeddingFunc, Tokenizer

records, folder, address = sys.argv[1:]


class Characters:
    """LightRAG's own tables are downloaded; a token for each character cuts no record."""

    def encode(self, text):
        return [ord(letter) for letter in text]

    def decode(self, tokens):
        return "".join(map(chr, tokens))


def post(body):
    request = urllib.request.Request(
        f"{address}/chat/completions",
        json.dumps(body).encode(),
        {"content-type": "application/json"},
    )
    with urllib.request.urlopen(request) as answer:
        return json.load(answer)["choices"][0]["message"]["content"]


async def model(prompt, system_prompt=None, history_messages=None, **_):
    messages = [{"role": "system", "content": system_prompt}] if system_prompt else []
    messages += (history_messages or []) + [{"role": "user", "content": prompt}]
    return await asyncio.to_thread(post, {"model": "rules", "messages": messages})


async def embed(texts, **_):
    return np.ones((len(texts), 8))


async def main():
    rag = LightRAG(
        working_dir=folder,
        llm_model_func=model,
        llm_model_name="rules",
        embedding_func=EmbeddingFunc(embedding_dim=8, max_token_size=100000, func=embed),
        tokenizer=Tokenizer("characters", Characters()),
        chunk_token_size=20000,
        chunk_overlap_token_size=0,
    )
    await rag.initialize_storages()
    try:
        from lightrag.kg.shared_storage import initialize_pipeline_status

        await initialize_pipeline_status()
    except Exception:
        pass
    with open(records) as file:
        texts = json.load(file)
    await rag.ainsert(texts, ids=[f"record-{place}" for place in range(len(texts))])
    graph = rag.chunk_entity_relation_graph
    nodes = await graph.get_all_nodes()
    edges = await graph.get_all_edges()
    print(
        json.dumps(
            {
                "entities": [node.get("entity_id") or node.get("id") for node in nodes],
                "relations": [
                    {"source": edge["source"], "target": edge["target"], "keywords": edge.get("keywords", "")}
                    for edge in edges
                ],
            }
        )
    )
    await rag.finalize_storages()


asyncio.run(main())
