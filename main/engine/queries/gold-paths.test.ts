import { hash } from 'node:crypto'
import { mkdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { GoldPath } from '../../../contract/control/cells.ts'
import type { CanonicalRow } from '../../../contract/evidence/canonical-row.ts'
import type { TraceKind } from '../../../contract/evidence/trace.ts'
import { sampleRow } from '../../../tests/helpers/evidence-rows.ts'
import { temporaryFolder } from '../../../tests/helpers/temporary-folder.ts'
import { storedFilesOf } from '../../evidence/files/artifact-files.ts'
import { TraceTexts } from '../../evidence/traces/trace-texts.ts'
import { goldPathsOf } from './gold-paths.ts'

const FACT = 'Anna Meer keeps the lock of this town'
const LOST: GoldPath = { stage: 'not_retrieved', is_seen: false, search: null, reranker: null, reranked: null }

type Step = [kind: TraceKind, request: unknown, response: unknown]

/** A row with one context of `gate.md`, and what its trace stores. */
async function pathsIn(steps: Step[], { fact = FACT, isStored = true } = {}) {
  const row = sampleRow()
  const texts = new Map<string, string>()
  const kept = (value: unknown) => {
    const text = JSON.stringify(value)
    texts.set(hash('sha256', text), text)
    return { sha256: hash('sha256', text), chars: text.length }
  }
  const traced: CanonicalRow = {
    ...row,
    question: { ...row.question, gold: [{ document: 'keepers.md', ...(fact === '' ? {} : { fact }) }] },
    evidence: {
      ...row.evidence!,
      contexts: ['A gate.'],
      sources: [{ title: 'gate.md', document: 'gate.md', chunk_index: 0, snippet: '', score: null }],
    },
    trace: {
      level: 'full',
      steps: steps.map(([kind, request, response], at) => ({
        name: `${at}`,
        kind,
        start_ms: at,
        duration_ms: 1,
        request: kept(request),
        response: kept(response),
      })),
    },
  }
  const place = { resultsDir: await temporaryFolder(), named: {} }
  const { evidence } = storedFilesOf(place, traced.run_id, traced.dataset.id)
  await mkdir(dirname(evidence), { recursive: true })
  const file = new TraceTexts(evidence)
  if (isStored) await file.add(texts)
  await file.close()
  return goldPathsOf(place, traced, [null])
}

const search = (...documents: string[]): Step => [
  'search',
  {},
  documents.map((document, chunk) => ({ document, chunk, score: 1 / (chunk + 1) })),
]
const rerank = (texts: string[], scores: unknown, query = 'q'): Step => ['reranker', { query, texts }, scores]

describe('the path of a gold fact that no context holds', () => {
  it('is not retrieved where no search returned its document', async () => {
    expect(await pathsIn([search('gate.md', 'others.md')])).toEqual([LOST])
  })

  it('has the ranks of the search and of the reranker', async () => {
    const steps = [search('gate.md', 'keepers.md', 'others.md'), rerank(['A gate.', `${FACT}.`, 'None.'], [3, -2, 1])]
    expect(await pathsIn(steps)).toEqual([
      {
        stage: 'not_handed_over',
        is_seen: true,
        search: { rank: 2, of: 3 },
        reranker: { rank: 3, of: 3 },
        reranked: 3,
      },
    ])
  })

  it('reads the scores of a service for reranking, whose batches are one ranking', async () => {
    const first = Array.from({ length: 32 }, (_, at) => `Text ${at}.`)
    const scores = JSON.stringify(first.map((_, index) => ({ index, score: index })).toReversed())
    const steps = [search('keepers.md'), rerank(first, scores), rerank([FACT], [{ index: 0, score: 30.5 }])]
    expect(await pathsIn(steps)).toMatchObject([{ reranker: { rank: 2, of: 33 }, reranked: 33 }])
  })

  it('ends before a reranker that did not read all that was found', async () => {
    expect(await pathsIn([search('gate.md', 'others.md', 'keepers.md'), rerank(['A gate.'], [1])])).toEqual([
      { stage: 'not_reranked', is_seen: false, search: { rank: 3, of: 3 }, reranker: null, reranked: 1 },
    ])
  })

  it('ends before the last ranking that did not read the passage', async () => {
    const steps = [search('gate.md', 'keepers.md'), rerank(['A gate.', FACT], [1, 0]), rerank(['A gate.'], [1], 'last')]
    expect(await pathsIn(steps)).toMatchObject([{ stage: 'not_reranked', is_seen: true, reranked: 1 }])
  })

  it('is not retrieved where the reranker read every passage and none holds it', async () => {
    expect(await pathsIn([search('keepers.md'), rerank(['She lives in town.'], [1])])).toEqual([
      { ...LOST, reranked: 1 },
    ])
  })

  it('names the document alone where nothing shows which of its passages holds the fact', async () => {
    expect(await pathsIn([search('gate.md', 'keepers.md')])).toMatchObject([
      { stage: 'not_handed_over', is_seen: false, search: { rank: 2, of: 2 } },
    ])
    expect(await pathsIn([search('gate.md', 'keepers.md')], { fact: '' })).toMatchObject([{ is_seen: true }])
  })

  it('is unknown without searches, and where their results are not stored', async () => {
    expect(await pathsIn([])).toBeNull()
    expect(await pathsIn([search('keepers.md')], { isStored: false })).toBeNull()
  })
})
