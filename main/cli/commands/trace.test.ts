import { hash } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import type { CanonicalRow } from '../../../contract/evidence/canonical-row.ts'
import { countWords } from '../../../contract/words.ts'
import { runCli } from '../../../tests/helpers/cli.ts'
import { sampleRow } from '../../../tests/helpers/evidence-rows.ts'
import { temporaryFolder } from '../../../tests/helpers/temporary-folder.ts'
import { scoreAnswer } from '../../evaluation/answer-scores.ts'
import { traceTextsPathFor, TraceTexts } from '../../evidence/traces/trace-texts.ts'

/** A row with the scores that a run gives it. */
function scoredRow(model: string, answer?: string): CanonicalRow {
  const row = sampleRow({ question: 'q001', model, ...(answer === undefined ? {} : { answer }) })
  const { question, metrics } = row
  const evidence = { ...row.evidence!, contexts: row.evidence!.contexts.slice(0, 1) }
  const found = evidence.contexts[0]!.toLowerCase().includes(question.gold[0]!.fact!) ? 1 : 0
  const retrieval = {
    ...metrics.retrieval,
    scores: { ...metrics.retrieval.scores, facts_found: found },
    all_contexts: { contexts: 1, recall: found },
  }
  return { ...row, evidence, metrics: { ...metrics, retrieval, answer: scoreAnswer(evidence.answer, question) } }
}

const SENT = JSON.stringify({ messages: [{ role: 'user', content: 'Who built the lock?' }], temperature: 0 })
let root = ''
let evidence = ''
beforeEach(async () => {
  root = await temporaryFolder()
  await mkdir(join(root, 'results'))
  evidence = join(root, 'results', 'run-1-baseline_curated-evidence.jsonl')
  const traced: CanonicalRow = {
    ...scoredRow('hybrid-rag'),
    trace: {
      level: 'full',
      steps: [
        { name: 'attempt 1: HTTP 200', kind: 'attempt', start_ms: 0, duration_ms: 120 },
        { name: 'reranker', kind: 'reranker', parent: 0, start_ms: 20, duration_ms: 30, error: 'HTTP 503' },
        {
          name: 'light_gen',
          kind: 'model',
          parent: 0,
          start_ms: 60,
          duration_ms: 50,
          tokens_in: 1200,
          tokens_out: 40,
          request: { sha256: hash('sha256', SENT), chars: SENT.length },
          response: { sha256: hash('sha256', 'gone'), chars: 4 },
        },
      ],
    },
  }
  const rows = [traced, sampleRow({ question: 'q001', model: 'vanilla-rag' })]
  await writeFile(evidence, rows.map((row) => `${JSON.stringify(row)}\n`).join(''))
  const texts = new TraceTexts(evidence)
  await texts.add(new Map([[hash('sha256', SENT), SENT]]))
  await texts.close()
})

const trace = (...more: string[]) =>
  runCli(['trace', '--project', root, '--run-id', 'run-1', '--question', 'q001', '--model', 'hybrid-rag', ...more])

describe('rag-ladder trace', () => {
  it('prints the calls of an answer as a tree with times, tokens and errors', async () => {
    const { code, stdout } = await trace()
    expect([code, stdout.trimEnd().split('\n')]).toEqual([
      0,
      [
        'q001 · hybrid-rag · run run-1 · baseline_curated',
        'question: How far does the lock rise in q001?',
        'expected: Four metres.',
        'answer: The lock rises by four metres.',
        '● Right: the answer has the required point. The gold fact was in the contexts.',
        'facts found 1.00 · points covered 1.00 · token F1 0.57',
        '  call of the approach: attempt 1: HTTP 200 (at 0 ms, 120 ms)',
        '    reranker: reranker (at 20 ms, 30 ms)',
        '      ▲ HTTP 503',
        `    model: light_gen (at 60 ms, 50 ms, ${countWords(1200)} tokens in, 40 out)`,
      ],
    ])
  })

  it('begins with why an answer is wrong, and names the other approaches that found the fact', async () => {
    const wrong = scoredRow('hybrid-rag', 'It is red.')
    const others = ['vanilla-rag', 'agentic-rag'].map((model) => scoredRow(model))
    await writeFile(evidence, [wrong, ...others].map((row) => `${JSON.stringify(row)}\n`).join(''))
    const { stdout } = await trace()
    expect(stdout).toContain(
      'expected: Four metres.\nanswer: It is red.\n▲ The gold fact was not in the contexts: “the lock',
    )
    expect(stdout).toContain('(canal-locks.md) is missing. vanilla-rag and agentic-rag found it.')
  })

  it('prints on request what was sent and received, and which text is not stored here', async () => {
    expect(traceTextsPathFor(evidence)).toContain('.traces.jsonl')
    const { stdout } = await trace('--texts')
    expect(stdout).toContain(`      sent, ${SENT.length} characters:\n        user:\n        Who built the lock?\n`)
    expect(stdout).toContain('received, 4 characters: not stored on this machine')
  })

  it('prints the steps as JSON lines', async () => {
    const { stdout } = await trace('--json')
    expect(
      stdout
        .trimEnd()
        .split('\n')
        .map((line) => (JSON.parse(line) as { kind: string }).kind),
    ).toEqual(['attempt', 'reranker', 'model'])
  })

  it('says why there is no trace, and what there is where the answer does not exist', async () => {
    const older = await runCli([
      'trace',
      '--project',
      root,
      '--run-id',
      'run-1',
      '--question',
      'q001',
      '--model',
      'vanilla-rag',
    ])
    expect(older.stdout).toContain('written before traces were kept')
    const other = await trace('--repeat', '2')
    expect([other.code, other.stderr]).toEqual([
      2,
      expect.stringContaining('it has answers of hybrid-rag, vanilla-rag'),
    ])
    const none = await runCli(['trace', '--project', root, '--run-id', 'run-9', '--question', 'q001', '--model', 'a'])
    expect([none.code, none.stderr]).toEqual([2, expect.stringContaining('it has runs run-1')])
  })
})
