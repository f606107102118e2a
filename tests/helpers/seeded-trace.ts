import { hash } from 'node:crypto'
import type { CellTrace, TraceText } from '../../contract/evidence/trace.ts'
import { TraceTexts } from '../../main/evidence/traces/trace-texts.ts'

const ASKED = JSON.stringify({
  messages: [
    { role: 'system', content: 'Task: agent.\nSearch before you answer.' },
    { role: 'user', content: 'Which shipyard built the Oumel?' },
  ],
  temperature: 0,
})
const ANSWERED = JSON.stringify({
  choices: [{ message: { role: 'assistant', content: 'Steenbrugge Werft <img src=x onerror="window.__owned=true">' } }],
})
const QUERY = '{"query":"shipyard of the Oumel"}'
const FOUND = JSON.stringify([{ document: 'oumel-navigation-scheme.md', chunk: 4, score: 0.91 }])

const named = (text: string, kept?: TraceText['kept']): TraceText => ({
  sha256: hash('sha256', text),
  chars: text.length,
  ...(kept === undefined ? {} : { kept }),
})

/** An agent's calls: one text is not stored, one was kept out by a limit, one tool failed. */
export const SEEDED_TRACE: CellTrace = {
  level: 'full',
  steps: [
    { name: 'attempt 1: HTTP 200', kind: 'attempt', start_ms: 0, duration_ms: 4100 },
    {
      name: 'agentic: qwen3:8b',
      kind: 'model',
      parent: 0,
      start_ms: 12,
      duration_ms: 1630,
      tokens_in: 412,
      tokens_out: 38,
      request: named(ASKED),
      response: named('{"choices":[]}'),
    },
    {
      name: 'POST /v1/chat/completions',
      kind: 'http',
      parent: 1,
      start_ms: 13,
      duration_ms: 1620,
      request: named('sent over HTTP', 'left_out'),
    },
    {
      name: 'vector_search',
      kind: 'tool',
      parent: 0,
      start_ms: 1650,
      duration_ms: 420,
      request: named(QUERY),
      response: named(FOUND),
    },
    {
      name: 'graph_neighbours',
      kind: 'tool',
      parent: 0,
      start_ms: 2080,
      duration_ms: 1030,
      request: named(QUERY),
      error: 'The tool failed: the graph engine did not answer',
    },
    {
      name: 'agentic: qwen3:8b',
      kind: 'model',
      parent: 0,
      start_ms: 3120,
      duration_ms: 970,
      tokens_in: 1804,
      tokens_out: 61,
      request: named(ASKED),
      response: named(ANSWERED, 'cut'),
    },
    { name: 'evaluation, attempt 1: HTTP 200', kind: 'evaluation', start_ms: 4110, duration_ms: 240 },
  ],
}

/** Stores the texts of the trace beside an evidence file. */
export async function storeSeededTexts(evidence: string): Promise<void> {
  const texts = new TraceTexts(evidence)
  await texts.add(new Map([ASKED, ANSWERED, QUERY, FOUND].map((text) => [hash('sha256', text), text])))
  await texts.close()
}
