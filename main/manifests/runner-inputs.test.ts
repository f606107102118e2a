import { describe, expect, it } from 'vitest'
import { PROJECT_ROOT } from '../../tests/helpers/project-root.ts'
import { loadExperiment } from './experiment.ts'
import { InputError, parseRunnerInputs, readRunnerInputs } from './runner-inputs.ts'
import { answersElsewhere, baselineNotices, coverageNotices, selectAliases, selectDatasets } from './selection.ts'

const experiment = await loadExperiment(PROJECT_ROOT)
const names = (models: string[] | null, flavors: string[] | null): string[] =>
  selectAliases(experiment, models, flavors).map(({ alias }) => alias)

describe('readRunnerInputs', () => {
  it('reads lists, addresses and the judge’s thinking', () => {
    expect(
      readRunnerInputs({
        MATRIX_MODELS: 'a, b,,a',
        JUDGE_THINK: 'omit',
        MATRIX_EVALUATOR_URL: 'http://127.0.0.1:1/x',
        MATRIX_RUN_ID: '',
      }),
    ).toMatchObject({
      models: ['a', 'b'],
      judgeThink: 'omit',
      evaluatorUrl: 'http://127.0.0.1:1/x',
      runId: null,
      flavors: null,
    })
  })

  it('reads how often cells are repeated, from 1 to 20', () => {
    expect([undefined, '', '1', '20'].map((text) => readRunnerInputs({ MATRIX_REPEATS: text }).repeats)).toEqual([
      null,
      null,
      1,
      20,
    ])
    for (const text of ['0', '21', '1.5', 'two', '-1'])
      expect(() => readRunnerInputs({ MATRIX_REPEATS: text })).toThrow(
        `MATRIX_REPEATS: expected a whole number from 1 to 20, got ${text}`,
      )
  })

  it('reports all that is wrong at once', () => {
    const read = { MATRIX_MODELS: 'a', MATRIX_FLAVORS: 'b', JUDGE_THINK: 'yes' }
    const wrong = { ...read, JUDGE_ENDPOINT: 'file:///x', MATRIX_RUN_ID: '../x' }
    expect(() => readRunnerInputs(wrong)).toThrow(InputError)
    const { problems } = parseRunnerInputs(wrong)
    expect(problems).toHaveLength(4)
    for (const name of ['MATRIX_FLAVORS', 'JUDGE_THINK', 'JUDGE_ENDPOINT', 'MATRIX_RUN_ID'])
      expect(problems.join('\n')).toContain(name)
  })

  it('refuses a misspelt variable and names the one that is meant; other variables of that prefix pass', () => {
    expect(parseRunnerInputs({ MATRIX_REPEAT: '3', JUDGE_MODLES: 'a' }).problems).toEqual([
      'MATRIX_REPEAT: unknown variable; did you mean MATRIX_REPEATS?',
      'JUDGE_MODLES: unknown variable; did you mean JUDGE_MODELS?',
    ])
    expect(parseRunnerInputs({ MATRIX_HOMESERVER: 'x', MATRIX_REPEATS: '2', REPEATS: '3' }).problems).toEqual([])
  })
})

describe('selection', () => {
  it('is the keyword baseline and the six canonical approaches unless something is named', () => {
    expect(names(null, null)).toEqual([
      'bm25',
      'vanilla-rag',
      'hybrid-rag',
      'contextual-rag',
      'graph-rag',
      'agentic-rag',
      'workflow-adaptive-rag',
    ])
  })

  it('leaves the keyword baseline out where a gateway elsewhere answers, unless it is named', () => {
    const elsewhere = (models: string[] | null) =>
      selectAliases(experiment, models, null, 'http://127.0.0.1:1').map(({ alias }) => alias)
    expect(elsewhere(null)).toEqual(names(null, null).filter((alias) => alias !== 'bm25'))
    expect(elsewhere(['bm25'])).toEqual(['bm25'])
  })

  it('knows a plugin in another process as what answers, and names the baseline that is left out', () => {
    const { inputs } = parseRunnerInputs({ RAG_PLUGIN_URL: 'http://127.0.0.1:9/plugin' })
    expect(selectAliases(experiment, null, null, answersElsewhere(inputs)).map(({ alias }) => alias)).not.toContain(
      'bm25',
    )
    expect(baselineNotices(inputs)).toEqual([
      expect.stringMatching(/^bm25, .* is left out, because a plugin at RAG_PLUGIN_URL/),
    ])
    const gateway = parseRunnerInputs({ MATRIX_GATEWAY_URL: 'http://127.0.0.1:9' }).inputs
    expect(baselineNotices(gateway)).toEqual([expect.stringContaining('a gateway elsewhere answers')])
    expect(baselineNotices(parseRunnerInputs({}).inputs)).toEqual([])
  })

  it('takes an exact set of models', () => {
    expect(names(['lazy-graph-rag', 'hybrid-rag-fast'], null)).toEqual(['hybrid-rag-fast', 'lazy-graph-rag'])
    expect(() => names(['nope'], null)).toThrow(
      /unknown alias: nope; declared are bm25, no-retrieval, full-context, hyde-rag, multi-query-rag, raptor-rag, vanilla-rag/,
    )
  })

  it('expands flavors by name, by approach, or all of them', () => {
    expect(names(null, ['graph-rag'])).toEqual(['graph-rag', 'graph-rag-fast', 'graph-rag-wide', 'graph-rag-rerank'])
    expect(names(null, ['hybrid-rag-fast'])).toEqual(['hybrid-rag-fast'])
    expect(names(null, ['fast'])).toEqual(['hybrid-rag-fast', 'graph-rag-fast', 'lazy-graph-rag-fast'])
    expect(names(null, ['balanced', 'wide'])).toEqual([
      'vanilla-rag-wide',
      'graph-rag-wide',
      'lazy-graph-rag-balanced',
      'lazy-graph-rag-wide',
    ])
    expect(names(null, ['all'])).toHaveLength(12)
    expect(() => names(['all'], null)).toThrow(/unknown alias: all/)
    expect(() => names(null, ['nope'])).toThrow(
      /^unknown flavor: nope; there are vanilla-rag-wide, hybrid-rag-high-recall, .*lazy-graph-rag-wide; vanilla-rag, .* or "all" mean all of theirs$/,
    )
  })

  it('leaves the smoke set out unless it is named', () => {
    expect(selectDatasets(experiment, null).map(({ dataset }) => dataset.id)).toEqual([
      'baseline_curated',
      'graph_native',
      'cyber_threat_intel',
    ])
    expect(selectDatasets(experiment, ['smoke'])).toHaveLength(1)
    expect(() => selectDatasets(experiment, ['x'])).toThrow(/unknown dataset: x/)
  })

  it('reports before the first call what cannot be measured', () => {
    const aliases = selectAliases(experiment, ['graph-rag', 'vanilla-rag'], null)
    expect(coverageNotices(['faithfulness', 'answer_relevancy'], aliases, experiment.datasets)).toEqual([
      'graph-rag answers without contexts: faithfulness cannot be evaluated for it; retrieval metrics use the passages that its engine reports as used',
    ])
    expect(coverageNotices(['answer_relevancy'], aliases, experiment.datasets)).toEqual([])
  })

  it('reports two datasets of one rung before the first call; those that run only when named share rung 0', () => {
    const datasets = experiment.datasets.map((each) =>
      each.dataset.id === 'graph_native' ? { ...each, dataset: { ...each.dataset, complexity_level: 1 } } : each,
    )
    expect(coverageNotices([], [], datasets)).toEqual([
      'baseline_curated, graph_native are all on rung 1: each step of the ladder compares one dataset; give them different complexity_level values, or run them separately',
    ])
  })
})
