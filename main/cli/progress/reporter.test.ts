import { stripVTControlCharacters } from 'node:util'
import { describe, expect, it, vi } from 'vitest'
import type { LadderStep, RunEvent } from '../../../contract/evidence/run-event.ts'
import { countWords } from '../../../contract/words.ts'
import { eventLines, lineWriter } from './event-line.ts'
import { outputColumns, renderLine } from './render-line.ts'
import { chooseReporter } from './reporter.ts'

const shown = (event: RunEvent, columns = 80, color = false): string[] =>
  eventLines(event).flatMap((line) => renderLine(line, { color, columns }).split('\n'))

/** The lines of a whole run, 80 columns wide. */
const linesOf = (events: readonly RunEvent[]): string[] => {
  const lines = lineWriter()
  return events
    .flatMap((event) => lines(event))
    .map((line) => renderLine(line, { color: false, columns: 80 }))
    .join('\n')
    .split('\n')
}

const step = (note: string | null): RunEvent => ({
  type: 'step.finished',
  dataset_id: 'baseline_curated',
  step: 'ingest',
  duration_ms: 840,
  note,
})
const phase = (unchanged: boolean): RunEvent => ({
  type: 'ingestion.progressed',
  dataset_id: 'smoke',
  job_id: 'j',
  phase: 'embed',
  status: 'completed',
  counts: { chunks_to_embed: 240 },
  ...(unchanged ? { unchanged } : {}),
})

describe('an event on the terminal', () => {
  it('fits one line where it can, else its note is below, broken at blanks and never in a word', () => {
    const note =
      '240 chunks of 44 documents, unchanged · job 83bfb58a-cc8d-49f8-b788-16f0e3c7337c · corpus digest e7808d77dabe'
    expect(shown(step('12 chunks'))).toEqual(['● baseline_curated  Ingest documents  840 ms  12 chunks'])
    expect(shown(step(note))).toEqual([
      '● baseline_curated  Ingest documents  840 ms',
      '    240 chunks of 44 documents, unchanged · job',
      '    83bfb58a-cc8d-49f8-b788-16f0e3c7337c · corpus digest e7808d77dabe',
    ])
    for (const columns of [40, 60, 80, 120])
      for (const row of shown(step(note), columns)) expect(row.length).toBeLessThanOrEqual(Math.max(columns, 46))
  })

  it('states beside a failed cell its HTTP status and what the service said', () => {
    const cell: RunEvent = {
      type: 'cell.finished',
      dataset_id: 'smoke',
      row_id: 'a'.repeat(64),
      question_id: 'sm-01',
      model: 'vanilla-rag',
      status: 'error',
      error_type: 'http_error',
      error_message: 'HTTP 503: the model is loading',
      evaluation: 'not_run',
      latency_ms: 1,
      reused: false,
    }
    expect(shown(cell)).toEqual(['▲ smoke sm-01 vanilla-rag: http error  HTTP 503: the model is loading'])
    const { error_message: _, ...earlier } = cell
    expect(shown(earlier)).toEqual(['▲ smoke sm-01 vanilla-rag: http error'])
  })

  it('reports the work of an ingestion once, and not again when nothing was done', () => {
    expect(shown(phase(false))).toEqual(['    embed chunks: chunks to embed 240'])
    expect(shown(phase(true))).toEqual([])
  })

  it('counts in the singular and the plural', () => {
    const run = (datasets: string[], models: string[]) =>
      shown({ type: 'run.started', run_id: 'r', dataset_ids: datasets, models })
    expect(run(['a'], ['m'])).toEqual(['run r: 1 dataset × 1 approach'])
    expect(run(['a', 'b'], ['m', 'n'])).toEqual(['run r: 2 datasets × 2 approaches'])
    const usage = (calls: number): RunEvent => ({
      type: 'usage.reported',
      dataset_id: 'a',
      alias_calls: { x: calls },
      model_calls: { y: calls },
    })
    expect(shown(usage(1))).toEqual(['    1 call at the gateway, 1 model call for it: y 1'])
    expect(shown(usage(2))).toEqual(['    2 calls at the gateway, 2 model calls for it: y 2'])
  })

  it('names the roles of model calls where no approach was called, as when the stored graph is loaded', () => {
    const usage = (model_calls: Record<string, number>): RunEvent => ({
      type: 'usage.reported',
      dataset_id: 'a',
      alias_calls: {},
      model_calls,
    })
    expect(shown(usage({ embed: 33, evaluator_embed: 1 }), 120)).toEqual([
      '    0 calls at the gateway; 34 model calls to load what is stored, ingest or score: embed 33, evaluator embed 1',
    ])
    expect(shown(usage({}))).toEqual(['    0 calls at the gateway, 0 model calls'])
  })

  it('names the calls of rules, which no model of the list has, and marks calls whose tries are not all counted', () => {
    const model = { model: 'm', cloud: false, calls: 3, unreported: 1, input_tokens: 20, output_tokens: 5 }
    const event: RunEvent = {
      type: 'usage.reported',
      dataset_id: 'a',
      alias_calls: { x: 2 },
      model_calls: { light_gen: 3, rerank: 2 },
      model_usage: [model],
    }
    expect(shown(event, 120)).toEqual([
      '    2 calls at the gateway, ≥ 5 model calls for it, 2 of them of built-in rules: light gen 3, rerank 2',
      '    m: ≥ 3 calls, 20 tokens read, 5 written',
    ])
    expect(shown({ ...event, model_usage: [{ ...model, calls: 5, unreported: 0 }] }, 120)).toEqual([
      '    2 calls at the gateway, 5 model calls for it: light gen 3, rerank 2',
      '    m: 5 calls, 20 tokens read, 5 written',
    ])
  })

  it.each([false, true])('cannot steer the terminal by what it quotes (colour %s)', (color) => {
    const message = 'a \u001b]0;title\u0007b\u001b[2J\u001b[31mc\u202e'
    const failed = shown({ type: 'step.failed', dataset_id: 'a', step: 'cells', code: 'x', message }, 80, color)
    expect(failed.at(-1)).toBe('    a bc')
    const [notice] = shown({ type: 'notice', level: 'warning', message }, 80, color)
    expect(notice).toBe(color ? '\u001b[33mwarning:\u001b[39m a bc' : 'warning: a bc')
  })
})

describe('the end of a run', () => {
  const ended = (run: string, missing: boolean): RunEvent[] => [
    { type: 'run.started', run_id: run, dataset_ids: ['smoke'], models: ['bm25'] },
    {
      type: 'step.finished',
      dataset_id: 'smoke',
      step: 'evaluate',
      duration_ms: 1,
      note: null,
      ...(missing
        ? { missing: [{ kind: 'metric', name: 'faithfulness', cause: 'the model did not write JSON' }] }
        : {}),
    },
    { type: 'run.finished', run_id: run, outcome: 'completed', duration_ms: 8000 },
  ]

  it('reports missing grades of its own run only, when one engine makes several', () => {
    const ends = linesOf([...ended('first', true), ...ended('second', false)]).filter((line) =>
      /^\W*run \w+ /.test(line),
    )
    expect(ends).toEqual([
      '▲ run first completed, 1 graded metric missing: the model did not write JSON',
      'run second is complete after 8.0 s',
    ])
  })
})

describe('the steps that a run skips', () => {
  const skip = (dataset_id: string, step: LadderStep, reason: string): RunEvent => ({
    type: 'step.skipped',
    dataset_id,
    step,
    reason,
  })
  const done = (dataset_id: string, step: LadderStep): RunEvent => ({
    type: 'step.finished',
    dataset_id,
    step,
    duration_ms: 5,
    note: null,
  })

  it('share one line per dataset that names them, after its last step', () => {
    const steps = (dataset: string): RunEvent[] => [
      skip(dataset, 'cold_reset', 'stored answers and collections are kept'),
      done(dataset, 'cells'),
      skip(dataset, 'judge', 'no judge panel is enabled'),
      skip(dataset, 'publish', 'not requested'),
    ]
    expect(linesOf([...steps('a'), ...steps('b')])).toEqual([
      '● a  Ask questions  5.0 ms',
      '– a  skipped: Cold reset, Judge answers, Publish  not requested',
      '● b  Ask questions  5.0 ms',
      '– b  skipped: Cold reset, Judge answers, Publish  not requested',
    ])
  })

  it('are named after the publication, and before a failure that ends the dataset', () => {
    const failed: RunEvent = { type: 'step.failed', dataset_id: 'b', step: 'start', code: 'x', message: 'no port' }
    expect(
      linesOf([
        skip('a', 'judge', 'no judge panel is enabled'),
        done('a', 'publish'),
        skip('b', 'cold_reset', 'kept'),
        failed,
      ]),
    ).toEqual([
      '● a  Publish  5.0 ms',
      '– a  skipped: Judge answers  no judge panel is enabled',
      '– b  skipped: Cold reset  kept',
      '▲ b  Start services  failed',
      '    no port',
    ])
  })
})

describe('the progress of an ingestion', () => {
  const running = (done: number): RunEvent => ({
    type: 'ingestion.progressed',
    dataset_id: 'smoke',
    job_id: 'j',
    phase: 'embed',
    status: 'running',
    counts: {},
    progress: { done, total: 9002, per_second: 85.4, seconds_left: (9002 - done) / 85.4 },
  })
  const written = (isTTY: boolean, events: RunEvent[]): string => {
    let text = ''
    const write = (part: string): boolean => {
      text += part
      return true
    }
    const out = { isTTY, columns: 80, write } as unknown as NodeJS.WriteStream
    const reporter = chooseReporter(false, out)
    for (const event of events) reporter.event(event)
    return text
  }

  it('is one line on a terminal that is drawn again and erased, and one line per phase elsewhere', () => {
    vi.stubEnv('NO_COLOR', undefined)
    vi.stubEnv('CI', undefined)
    const begun: RunEvent = { type: 'step.started', dataset_id: 'smoke', step: 'ingest' }
    const live = written(true, [begun, running(1200), phase(false)])
    expect(live).toContain(
      `  ${'█'.repeat(3)}${'░'.repeat(21)} embed chunks ${countWords(1200)}/${countWords(9002)} · 85/s · 91.4 s left`,
    )
    expect(stripVTControlCharacters(live.slice(live.lastIndexOf('\r')))).toBe(
      '\r    embed chunks: chunks to embed 240\n',
    )
    expect(written(false, [running(1200), running(4000), phase(false)])).toBe('    embed chunks: chunks to embed 240\n')
    vi.unstubAllEnvs()
  })
})

it('outputColumns takes COLUMNS, else the terminal, else 80', () => {
  expect(outputColumns({ isTTY: true, columns: 132 }, { COLUMNS: '60' })).toBe(60)
  expect(outputColumns({ isTTY: true, columns: 132 }, {})).toBe(132)
  expect(outputColumns({ isTTY: false }, { COLUMNS: '100' })).toBe(100)
  for (const COLUMNS of ['', '0', '-3', 'wide', '1.5', '1e2', '0x50']) expect(outputColumns({}, { COLUMNS })).toBe(80)
})
