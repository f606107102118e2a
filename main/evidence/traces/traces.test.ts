import { hash } from 'node:crypto'
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { TRACE_LIMITS, type SentTrace } from '../../../contract/evidence/trace.ts'
import { forgetSecrets, rememberSecrets } from '../../../core/known-secrets.ts'
import { CellRecorder } from './cell-recorder.ts'
import { readTraceTexts, traceTextsPathFor, TraceTexts, verifyTraceTexts } from './trace-texts.ts'
import { temporaryFolder } from '../../../tests/helpers/temporary-folder.ts'

const digest = (text: string): string => hash('sha256', text)
const textsOf = (...texts: string[]) => new Map(texts.map((text) => [digest(text), text]))

let folder = ''
let evidence = ''
beforeEach(async () => {
  folder = await temporaryFolder('traces')
  evidence = join(folder, 'run-set-evidence.jsonl')
})

async function stored(...texts: string[]): Promise<Set<string>> {
  const file = new TraceTexts(evidence)
  const leftOut = await file.add(textsOf(...texts))
  await file.close()
  return leftOut
}

async function storedText(text: string): Promise<string | undefined> {
  const sha256 = digest(text)
  return (await readTraceTexts(evidence, new Set([sha256]))).get(sha256)
}

describe('the texts of traces', () => {
  it('are found by their digest, and stored once, also by a run that goes on', async () => {
    await stored('asked', 'answered')
    const before = readFileSync(traceTextsPathFor(evidence), 'utf8')
    expect(await stored('asked')).toEqual(new Set())
    expect(readFileSync(traceTextsPathFor(evidence), 'utf8')).toBe(before)
    await stored('asked', 'again')
    for (const text of ['asked', 'answered', 'again']) expect(await storedText(text)).toBe(text)
    expect(await storedText('never')).toBeUndefined()
    expect((await verifyTraceTexts(evidence))!.texts.size).toBe(3)
  })

  it('go on after a line that a dying writer left unfinished', async () => {
    await stored('first')
    appendFileSync(traceTextsPathFor(evidence), '{"sha256":["ab')
    await stored('second')
    expect(await storedText('second')).toBe('second')
    expect(await verifyTraceTexts(evidence)).toMatchObject({ changed: [] })
  })

  it('whose bytes were changed are reported and not shown', async () => {
    await stored('first')
    const path = traceTextsPathFor(evidence)
    const other = join(folder, 'other-evidence.jsonl')
    const file = new TraceTexts(other)
    await file.add(textsOf('forged'))
    await file.close()
    const forged = readFileSync(traceTextsPathFor(other), 'utf8').replace(digest('forged'), digest('first'))
    writeFileSync(path, forged)
    expect(await storedText('first')).toBeUndefined()
    expect(await verifyTraceTexts(evidence)).toMatchObject({ changed: [0] })
  })

  it('above the limit of a run, or that the disk refuses, are reported as left out', async () => {
    const small = new TraceTexts(evidence, { mostBytes: 100 })
    expect(await small.add(textsOf('x'.repeat(10)))).toEqual(new Set([digest('x'.repeat(10))]))
    await small.close()
    const nowhere = new TraceTexts(join(folder, 'missing', 'a-evidence.jsonl'))
    expect(await nowhere.add(textsOf('lost'))).toEqual(new Set([digest('lost')]))
    await nowhere.close()
  })
})

describe('the steps of a cell', () => {
  const sent = (text: string): SentTrace => ({
    steps: [
      { name: 'tool', kind: 'tool', start_ms: 1, duration_ms: 5 },
      {
        name: 'light_gen: m',
        kind: 'model',
        parent: 0,
        start_ms: 2,
        duration_ms: 3,
        request: { sha256: digest(text), chars: text.length },
      },
    ],
    texts: { [digest(text)]: text },
  })
  const call = (text: string | null, error: string | null = null) => ({
    kind: 'attempt' as const,
    name: 'attempt 1: HTTP 200',
    startedAt: performance.now(),
    sent: text === null ? undefined : sent(text),
    error,
  })

  it('are below the attempt that they belong to, with the digests of what is kept', () => {
    const recorder = new CellRecorder('full')
    recorder.add(call(null, 'timeout: no answer'))
    recorder.add(call('asked'))
    const { steps } = recorder.trace()
    expect(steps.map(({ kind, parent }) => [kind, parent])).toEqual([
      ['attempt', undefined],
      ['attempt', undefined],
      ['tool', 1],
      ['model', 2],
    ])
    expect(steps[0]).toMatchObject({ error: 'timeout: no answer' })
    expect([...recorder.takeTexts()]).toEqual([[digest('asked'), 'asked']])
    expect(recorder.takeTexts().size).toBe(0)
    expect(recorder.trace(new Set([digest('asked')])).steps.at(-1)!.request).toMatchObject({ kept: 'left_out' })
  })

  it('hold no secret of the runner, and the digest of the text without it', () => {
    rememberSecrets('key-of-the-runner')
    try {
      const recorder = new CellRecorder('full')
      recorder.add(call('sent with key-of-the-runner'))
      const [[sha256, text]] = [...recorder.takeTexts()] as [[string, string]]
      expect(text).toBe('sent with [secret removed]')
      expect(sha256).toBe(digest(text))
      expect(recorder.trace().steps.at(-1)!.request!.sha256).toBe(sha256)
    } finally {
      forgetSecrets()
    }
  })

  it('go on where those of a kept answer end, and are counted above the limit', () => {
    const first = new CellRecorder('tree')
    first.add(call('asked'))
    const resumed = new CellRecorder('tree', first.trace())
    resumed.add({ ...call(null), kind: 'evaluation', name: 'evaluation, attempt 1' })
    const { steps } = resumed.trace()
    expect(steps.map(({ kind }) => kind)).toEqual(['attempt', 'tool', 'model', 'evaluation'])
    expect(steps[3]!.start_ms).toBeGreaterThanOrEqual(6)
    expect(new CellRecorder('tree', resumed.trace()).trace().steps).toEqual(first.trace().steps)
    for (let more = 0; more < TRACE_LIMITS.steps; more += 1) resumed.add(call(null))
    expect(resumed.trace()).toMatchObject({ left_out: 4 })
  })

  it('are none where a run keeps no trace, and a form of another kind is ignored', () => {
    const off = new CellRecorder('off')
    off.add(call('asked'))
    expect([off.headers, off.trace()]).toEqual([{}, { level: 'off', steps: [] }])
    const recorder = new CellRecorder('full')
    recorder.add({ ...call(null), sent: { steps: 'many' } })
    expect(recorder.trace().steps).toHaveLength(1)
  })
})
