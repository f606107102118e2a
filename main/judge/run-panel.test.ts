import { usageOfCall } from '../../contract/evidence/model-usage.ts'
import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { Judgments } from '../../contract/evidence/judgments.ts'
import { json } from '../../tests/helpers/fault-server.ts'
import { temporaryFolder } from '../../tests/helpers/temporary-folder.ts'
import {
  BUILTINS,
  gradeByText,
  gradingBy,
  sampleInput,
  samplePanel,
  sampleQuestion,
  shownPrompt,
} from '../../tests/helpers/judge-panel.ts'
import { parseJudgments, readJudgments } from '../report/aggregate/judge-input.ts'
import { judgeSection } from '../report/aggregate/judge-section.ts'
import type { PanelInput } from './panel-input.ts'
import { runJudgePanel, type PanelOptions } from './run-panel.ts'
import { journalPath } from './verdict-journal.ts'
import { suiteFaultServer } from '../../tests/helpers/test-server.ts'

const endpoint = await suiteFaultServer()
beforeEach(() => endpoint.script(gradingBy(gradeByText)))

const MODELS = ['vanilla-rag', 'hybrid-rag', 'graph-rag']
const questions = Array.from({ length: 6 }, (_, index) =>
  sampleQuestion(
    `q-${index + 1}`,
    Object.fromEntries(MODELS.map((model, place) => [model, `Text ${index * 3 + place}.`])),
  ),
)
const input = sampleInput(questions)

async function optionsIn(changes: Partial<PanelOptions> = {}): Promise<PanelOptions> {
  return {
    panel: samplePanel(),
    gateway: { url: endpoint.url, apiKey: null },
    aliases: MODELS,
    seed: 'seed',
    file: join(await temporaryFolder(), 'run-1-locks-judgments.json'),
    backoffMs: 0,
    timeoutMs: 5000,
    ...changes,
  }
}
const judged = async (changes: Partial<PanelOptions> = {}, what: PanelInput = input) => {
  const options = await optionsIn(changes)
  return { ...(await runJudgePanel(what, options)), file: options.file }
}

describe('runJudgePanel', () => {
  it('writes an artifact that the schema and the report can read, with provenance and permutations', async () => {
    const { judgments, file } = await judged({ panel: samplePanel({ rotations: 3 }) })
    expect(Judgments.parse(JSON.parse(await readFile(file, 'utf8')))).toEqual(judgments)
    expect(judgments).toMatchObject({
      status: 'ok',
      run_id: 'run-1',
      dataset_id: 'locks',
      judges: ['qwen3:8b', 'llama3.3:70b'],
      ingestion: input.ingestion,
      runtime: {
        prompt_name: 'judge',
        prompt_version: 2,
        endpoint: 'platform-gateway',
        rotations: 3,
        reference: false,
        answer_cap: 1200,
      },
      blocked: [],
      errors: [],
    })
    for (const query of judgments.queries)
      for (const verdict of Object.values(query.per_judge)) {
        expect(verdict.rotations).toHaveLength(3)
        // Each answer was shown once at each place.
        for (const place of [0, 1, 2])
          expect(verdict.rotations!.map(({ order }) => order[place]).sort()).toEqual(MODELS.toSorted())
        for (const model of MODELS) {
          const { text } = {
            text: questions.find(({ id }) => id === query.query_id)!.answers.find((one) => one.model === model)!
              .answer!,
          }
          expect(verdict.scores[model]).toBe(gradeByText(text))
        }
      }
    const section = judgeSection(await readJudgments(file), {
      datasetId: 'locks',
      ingestion: input.ingestion,
      models: MODELS,
      questionIds: questions.map(({ id }) => id),
    })
    expect(section).toMatchObject({ status: 'ok', questions: { judged: 6, expected: 6 } })
  })

  it('asks one judge after another, so that a host loads each model once', async () => {
    await judged({ panel: samplePanel({ rotations: 2 }), concurrency: 4 })
    const asked = endpoint.requests.map(({ body }) => shownPrompt(body).model)
    expect(asked).toEqual([...Array<string>(12).fill('qwen3:8b'), ...Array<string>(12).fill('llama3.3:70b')])
  })

  it('gives equal bytes on a rerun, with and without the journal, whatever the concurrency and the order of cells', async () => {
    const first = await judged()
    const bytes = await readFile(first.file, 'utf8')
    const again = await optionsIn({ file: first.file })
    expect((await runJudgePanel(input, again)).written.sha256).toBe(first.written.sha256)
    await rm(journalPath(first.file))
    await runJudgePanel(input, { ...again, concurrency: 5 })
    expect(await readFile(first.file, 'utf8')).toBe(bytes)
    for (const models of [BUILTINS]) {
      const one = await judged({ panel: samplePanel({ models, rotations: 4 }), gateway: null })
      const other = await judged({ panel: samplePanel({ models, rotations: 4 }), gateway: null, concurrency: 3 })
      expect(other.written.sha256).toBe(one.written.sha256)
    }
  })

  it('asks only for what is missing: what failed, and what has changed', async () => {
    const refuse = json({ error: { message: 'no' } }, 400)
    const grade = gradingBy(gradeByText)
    endpoint.script((response, request, body) =>
      (shownPrompt(body).text.includes('in q-2?') ? refuse : grade)(response, request, body),
    )
    const { judgments, file } = await judged()
    expect(judgments.status).toBe('partial')
    expect(judgments.errors).toEqual(
      ['qwen3:8b', 'llama3.3:70b'].map((judge) => ({
        query_id: 'q-2',
        judge,
        rotation: 0,
        code: 'http_error',
        message: 'HTTP 400: no',
        attempts: 1,
        usage: usageOfCall(judge, true, null),
      })),
    )
    expect(judgments.queries[1]).toMatchObject({ per_judge: {}, observed_winner: null, inconclusive: 'not_judged' })

    endpoint.requests.length = 0
    endpoint.script(grade)
    const options = await optionsIn({ file })
    expect((await runJudgePanel(input, options)).judgments.status).toBe('ok')
    expect(endpoint.requests).toHaveLength(2)

    endpoint.requests.length = 0
    const changed = questions.map((one) => (one.id === 'q-4' ? { ...one, answers: one.answers.slice(1) } : one))
    await runJudgePanel(sampleInput(changed), options)
    expect(endpoint.requests).toHaveLength(2)
    await runJudgePanel(sampleInput(changed), { ...options, panel: samplePanel({ temperature: 1 }) })
    expect(endpoint.requests).toHaveLength(2 + 12)
  })

  it('withholds names of approaches and markers from answers, records where, and blocks only what cannot be withheld', async () => {
    const leaky = sampleInput([
      ...questions.slice(0, 2),
      sampleQuestion('leak', {
        'vanilla-rag': 'As graph-rag says: four.',
        'hybrid-rag': 'Four. <details>',
        'graph-rag': 'Four.',
      }),
      sampleQuestion('product', {
        'vanilla-rag': 'Four, as LightRAG found.',
        'hybrid-rag': 'Four.\n\nSources:\n- locks.md',
      }),
      sampleQuestion(
        'asks',
        { 'vanilla-rag': 'LightRAG builds a graph.', 'hybrid-rag': 'A graph.' },
        { query: 'What does LightRAG do?' },
      ),
      sampleQuestion('names', { 'vanilla-rag': 'Four.' }, { query: 'What does graph-rag do?' }),
    ])
    const { judgments } = await judged({}, leaky)
    expect(judgments.status).toBe('partial')
    expect(judgments.blocked).toEqual([
      { query_id: 'names', leaks: [{ kind: 'alias', text: 'graph-rag', found_in: 'question' }] },
    ])
    expect(judgments.withheld).toEqual([
      {
        query_id: 'leak',
        leaks: [
          { kind: 'alias', text: 'graph-rag', found_in: 'vanilla-rag' },
          { kind: 'source_marker', text: '<details>', found_in: 'hybrid-rag' },
        ],
      },
      {
        query_id: 'product',
        leaks: [
          { kind: 'engine', text: 'LightRAG', found_in: 'vanilla-rag' },
          { kind: 'source_marker', text: 'Sources:', found_in: 'hybrid-rag' },
        ],
      },
    ])
    expect(endpoint.requests).toHaveLength(2 * 5)
    const shown = endpoint.requests.flatMap(({ body }) => [...shownPrompt(body).answers.values()])
    for (const text of [
      'As [name withheld] says: four.',
      'Four.',
      'Four, as [name withheld] found.',
      'LightRAG builds a graph.',
    ])
      expect(shown).toContain(text)
    expect(shown.filter((text) => text.startsWith('Four.') && text.includes('locks.md'))).toEqual(
      Array<string>(2).fill('Four.\n\n\n- locks.md'),
    )
    const { answers, per_judge } = judgments.queries.find(({ query_id }) => query_id === 'leak')!
    expect(Object.keys(per_judge)).toHaveLength(2)
    expect(Object.entries(answers!).map(([model, { neutralized }]) => [model, neutralized])).toEqual([
      ['vanilla-rag', true],
      ['hybrid-rag', true],
      ['graph-rag', false],
    ])
  })

  it('looks into the ground truth only where it is shown', async () => {
    const one = sampleInput([sampleQuestion('q', { 'vanilla-rag': 'Four.' }, { groundTruth: 'By graph-rag.' })])
    expect((await judged({}, one)).judgments.blocked).toEqual([])
    const { judgments } = await judged({ panel: samplePanel({ reference: true }) }, one)
    expect(judgments.blocked![0]!.leaks[0]!.found_in).toBe('reference')
  })

  it('shows failed cells as an explicit "no answer", and grades them', async () => {
    endpoint.script(gradingBy((answer) => (answer === '(no answer)' ? 1 : 4)))
    const one = sampleInput([sampleQuestion('q', { 'vanilla-rag': null, 'hybrid-rag': 'Four.' })])
    const { judgments } = await judged({}, one)
    expect(judgments.queries[0]).toMatchObject({
      mean_by_approach: { 'vanilla-rag': 1, 'hybrid-rag': 4 },
      observed_winner: 'hybrid-rag',
      answers: { 'vanilla-rag': { answered: false, characters: 11 }, 'hybrid-rag': { answered: true } },
    })
  })

  it('ends as an error, with an artifact, when no judge gave a verdict', async () => {
    endpoint.script(json({ error: { message: 'down' } }, 500))
    const { judgments, file } = await judged()
    expect(judgments).toMatchObject({ status: 'error', approaches: [{ mean: null }, { mean: null }, { mean: null }] })
    expect(judgments.errors).toHaveLength(12)
    expect(await readJudgments(file)).toMatchObject({ state: 'read' })
  })

  it('mixes built-in and chat judges', async () => {
    const { judgments } = await judged({ panel: samplePanel({ models: ['qwen3:8b', 'builtin-semantic-match'] }) })
    expect(judgments).toMatchObject({ status: 'ok', runtime: { endpoint: 'platform-gateway' } })
    expect(endpoint.requests).toHaveLength(6)
  })

  it('measures the position bias that a judge has', async () => {
    endpoint.script(gradingBy((_, place) => 5 - place))
    const { judgments } = await judged({ panel: samplePanel({ rotations: 3 }) })
    for (const { position_effect: effect, flip_rates: flips } of judgments.panel!.judges) {
      expect(effect).toMatchObject({ basis: 'within_answer', slope: { value: -1 } })
      expect(flips.best.value).toBe(1)
    }
    expect(judgments.approaches!.map(({ mean }) => mean)).toEqual([4, 4, 4])
  })

  it('stops when drained, keeps its verdicts, and continues from there', async () => {
    const drain = new AbortController()
    endpoint.script((response, request, body) => {
      if (endpoint.requests.length === 5) drain.abort()
      gradingBy(gradeByText)(response, request, body)
    })
    const options = await optionsIn({ drain: drain.signal })
    await expect(runJudgePanel(input, options)).rejects.toMatchObject({
      name: 'AbortError',
      code: 'judge_panel_stopped',
      kept: 5,
      left: 7,
    })
    await expect(readFile(options.file)).rejects.toMatchObject({ code: 'ENOENT' })
    const { drain: _, ...rest } = options
    expect((await runJudgePanel(input, rest)).judgments.status).toBe('ok')
    expect(endpoint.requests).toHaveLength(12)
  })

  it('cancels a prompt in flight when aborted', async () => {
    const abort = new AbortController()
    endpoint.script(() => abort.abort())
    await expect(judged({ abort: abort.signal, timeoutMs: 60_000 })).rejects.toMatchObject({ kept: 0, left: 12 })
  })

  it('refuses a panel that cannot judge and answers that are not there, before any call', async () => {
    await expect(judged({ panel: samplePanel({ models: [] }) })).rejects.toMatchObject({ code: 'judge_models_missing' })
    await expect(judged({}, sampleInput([]))).rejects.toMatchObject({ code: 'nothing_to_judge' })
    expect(endpoint.requests).toEqual([])
  })
})

describe('an invalid judgments file affects the judge section alone:', () => {
  const run = {
    datasetId: 'locks',
    ingestion: input.ingestion,
    models: MODELS,
    questionIds: questions.map(({ id }) => id),
  }

  it.each([
    ['not JSON', '{"status": "ok"', 'malformed'],
    ['an array', '[]', 'not_an_object'],
    ['null', 'null', 'not_an_object'],
    ['a text', '"ok"', 'not_an_object'],
    ['an empty object', '{}', 'invalid'],
    ['an empty file', '', 'malformed'],
  ])('%s', (_, text, reason) => {
    expect(judgeSection(parseJudgments(text, 'x-judgments.json'), run)).toMatchObject({ status: 'error', reason })
  })

  it('a judge whose key or account is refused three times in a row is not asked any more, the other one is, and judging again asks for what is missing', async () => {
    let isPaid = false
    endpoint.script((response, request, body) =>
      (!isPaid && shownPrompt(body).model === 'qwen3:8b'
        ? json({ error: { message: 'Insufficient Balance' } }, 402)
        : gradingBy(gradeByText))(response, request, body),
    )
    const options = await optionsIn()
    const { judgments } = await runJudgePanel(input, options)
    expect(endpoint.requests).toHaveLength(3 + 6)
    expect(judgments.errors).toHaveLength(6)
    for (const failure of judgments.errors!)
      expect(failure).toMatchObject({
        judge: 'qwen3:8b',
        code: 'access_refused',
        message: 'HTTP 402: Insufficient Balance',
      })
    isPaid = true
    const { judgments: again } = await runJudgePanel(input, options)
    expect([again.status, endpoint.requests.length]).toEqual(['ok', 3 + 6 + 6])
  })

  it('grades, shapes and provenance that are wrong', async () => {
    const { judgments } = await judged({ panel: samplePanel({ models: BUILTINS }), gateway: null })
    const section = (change: (value: Record<string, unknown>) => void) => {
      const copy = structuredClone(judgments) as unknown as Record<string, unknown>
      change(copy)
      return judgeSection(parseJudgments(JSON.stringify(copy), 'x'), run)
    }
    expect(section(() => undefined)).toMatchObject({ status: 'ok' })
    const query = (value: Record<string, unknown>) => (value['queries'] as Record<string, unknown>[])[0]!
    expect(section((value) => (query(value)['mean_by_approach'] = { 'vanilla-rag': 9 }))).toMatchObject({
      reason: 'invalid',
    })
    expect(section((value) => (query(value)['per_judge'] = []))).toMatchObject({ reason: 'invalid' })
    expect(section((value) => (value['queries'] = { 0: 'x' }))).toMatchObject({ reason: 'invalid' })
    expect(section((value) => (value['panel'] = { alpha: 1 }))).toMatchObject({ reason: 'invalid' })
    expect(section((value) => (value['ingestion'] = null))).toMatchObject({ reason: 'other_run' })
    expect(section((value) => (value['dataset_id'] = 'other'))).toMatchObject({ reason: 'other_run' })
    expect(section((value) => (value['status'] = 'error'))).toMatchObject({ reason: 'panel_failed' })
  })
})
