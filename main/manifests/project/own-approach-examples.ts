// Programs that `rag-ladder approaches new` writes: each answers with nothing installed, and is meant to be replaced.
const PYTHON = `"""An approach of your own: one JSON line in, one JSON line out. Nothing has to be installed."""
import json
import math
import re
import sys
from collections import Counter

passages = []


def words(text):
    return set(re.findall(r"\\w+", text.lower()))


def ingest(documents, part):
    if part == 1:
        passages.clear()
    for document in documents:
        for text in re.split(r"\\n\\s*\\n", document["text"]):
            if text.strip():
                passages.append({"text": text.strip(), "title": document["title"], "document": document["id"]})


def search(question, k=5):
    counts = Counter(word for passage in passages for word in words(passage["text"]))
    asked = words(question)
    for passage in passages:
        shared = asked & words(passage["text"])
        passage["score"] = sum(math.log(1 + len(passages) / counts[word]) for word in shared)
    return sorted(passages, key=lambda passage: -passage["score"])[:k]


def answer(question):
    found = search(question)
    sentences = [s for passage in found for s in re.split(r"(?<=[.!?])\\s+", passage["text"])]
    best = max(sentences, key=lambda s: len(words(s) & words(question)), default="I do not know.")
    return {"answer": best, "contexts": found}  # Call your model here instead.


for line in sys.stdin:
    message = json.loads(line)
    try:
        is_ingest = message.get("op") == "ingest"
        reply = (ingest(message["documents"], message["part"]) or {}) if is_ingest else answer(message["question"])
    except Exception as error:
        reply = {"error": repr(error)}
    print(json.dumps({"id": message["id"], **reply}), flush=True)
`

const TYPESCRIPT = `// An approach of your own: one JSON line in, one JSON line out. Nothing has to be installed.
import { createInterface } from 'node:readline'

type Document = { id: string; title: string; text: string }
type Passage = { text: string; title: string; document: string; score: number }

const passages: Passage[] = []
const words = (text: string): Set<string> => new Set(text.toLowerCase().match(/[\\p{L}\\p{N}]+/gu))
const shared = (text: string, asked: Set<string>): string[] => [...words(text)].filter((word) => asked.has(word))

function ingest(documents: Document[], part: number): object {
  if (part === 1) passages.length = 0
  for (const { id, title, text } of documents)
    for (const piece of text.split(/\\n\\s*\\n/))
      if (piece.trim() !== '') passages.push({ text: piece.trim(), title, document: id, score: 0 })
  return {}
}

function search(question: string, k = 5): Passage[] {
  const counts = new Map<string, number>()
  for (const { text } of passages) for (const word of words(text)) counts.set(word, (counts.get(word) ?? 0) + 1)
  const weight = (word: string): number => Math.log(1 + passages.length / counts.get(word)!)
  const scoreOf = (text: string): number => shared(text, words(question)).reduce((sum, word) => sum + weight(word), 0)
  return passages.map((passage) => ({ ...passage, score: scoreOf(passage.text) })).sort((a, b) => b.score - a.score).slice(0, k)
}

function answer(question: string): object {
  const contexts = search(question)
  const sentences = contexts.flatMap(({ text }) => text.split(/(?<=[.!?])\\s+/))
  const [best = 'I do not know.'] = sentences.sort((a, b) => shared(b, words(question)).length - shared(a, words(question)).length)
  return { answer: best, contexts } // Call your model here instead.
}

for await (const line of createInterface({ input: process.stdin })) {
  const message = JSON.parse(line) as { id: string; op: string; question: string; documents: Document[]; part: number }
  let reply: object
  try {
    reply = message.op === 'ingest' ? ingest(message.documents, message.part) : answer(message.question)
  } catch (error) {
    reply = { error: String(error) }
  }
  console.log(JSON.stringify({ id: message.id, ...reply }))
}
`

export const EXAMPLES = {
  python: { extension: 'py', program: process.platform === 'win32' ? 'python' : 'python3', text: PYTHON },
  typescript: { extension: 'ts', program: 'node', text: TYPESCRIPT },
} as const
