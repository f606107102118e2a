import type { IndexMetric } from '../../../contract/control/index.ts'
import { cellDetail, rowIdOf } from './cells.ts'
import { os, refuse } from './implementer.ts'
import { columnHeads, matrixPage } from './index-answers.ts'
import { type FakeState, RUNS } from './state.ts'
import { cellOf } from './world.ts'

const reasonCount = (reason: string, cells: number): Record<string, number> => (cells > 0 ? { [reason]: cells } : {})

/** The matrix, one cell, and what was covered. */
export function resultProcedures(state: FakeState) {
  const { world, options, runOf, datasetOf, aliasesOf, locate } = state
  return {
    matrix: {
      page: os.matrix.page.handler(({ input }) =>
        matrixPage(world, datasetOf(input.dataset_id), aliasesOf(input.run_id, input.aliases), input),
      ),
      heads: os.matrix.heads.handler(({ input }) =>
        columnHeads(
          world,
          input.run_id,
          datasetOf(input.dataset_id),
          aliasesOf(input.run_id, input.aliases),
          input.metric,
        ),
      ),
      search: os.matrix.search.handler(({ input }) => {
        const hits = [...world.datasets.values()].flatMap(({ view, questions }) =>
          questions
            .filter(({ query }) => query.toLowerCase().includes(input.text.toLowerCase()))
            .map(({ id, query }) => ({
              ...{ found_in: 'question' as const, run_id: RUNS[0]!, dataset_id: view.id, question_id: id, query },
              ...{ model: null, row_id: null, excerpt: query.slice(0, 200) },
            })),
        )
        return { hits: hits.slice(0, input.limit), more: hits.length > input.limit }
      }),
    },
    cells: {
      get: os.cells.get.handler(({ input }) => {
        const found = locate(input.run_id, input.row_id)
        return cellDetail(world, { ...found, run: input.run_id, hostile: options.hostile === true })
      }),
      answerSlice: os.cells.answerSlice.handler(() => refuse('not_a_text', 'nothing was cut')),
      others: os.cells.others.handler(({ input }) => {
        const { dataset, question } = locate(input.run_id, input.row_id)
        return {
          dataset_id: dataset.view.id,
          question_id: question.id,
          cells: runOf(input.run_id).aliases.map((model) => {
            const at = (metric: IndexMetric) => cellOf(world, input.run_id, dataset.view.id, question.id, model, metric)
            const view = world.aliases.get(model)!
            const scores = (['faithfulness', 'answer_relevancy', 'recall_at_5', 'token_f1'] as const).flatMap(
              (metric) => {
                const { value } = at(metric)
                return value === null ? [] : [[metric, value] as const]
              },
            )
            return {
              ...{ model, base_model: view.base, row_id: rowIdOf(input.run_id, dataset.view.id, question.id, model) },
              ...{ status: at('latency_ms').status, error_type: null, evaluation: 'ok' as const, judge_mean: null },
              ...{ latency_ms: at('latency_ms').latency, scores: Object.fromEntries(scores) },
            }
          }),
        }
      }),
    },
    coverage: {
      get: os.coverage.get.handler(({ input }) => {
        const dataset = datasetOf(input.dataset_id)
        const { aliases } = runOf(input.run_id)
        const metrics = ['faithfulness', 'answer_relevancy', 'recall_at_5', 'token_f1'] as const
        const byMetric = metrics.map((metric) => columnHeads(world, input.run_id, dataset, aliases, metric))
        return {
          ...{ run_id: input.run_id, dataset_id: input.dataset_id, basis: 'summary' as const },
          aliases: aliases.map((model, column) => {
            const view = world.aliases.get(model)!
            return {
              ...{ model, base_model: view.base, flavor: view.flavor, evidence_capability: view.evidence },
              cells: {
                ok: dataset.questions.length - 1,
                error: 1,
                timeout: 0,
                missing: 0,
                expected: dataset.questions.length,
              },
              ...{ failures_by_type: { http_error: 1 }, unavailable: null },
              refusals:
                column === 0
                  ? { refused: 2, answered: dataset.questions.length - 4, unknown: 1, decided_by_model: 3 }
                  : column === 1
                    ? { refused: 0, answered: dataset.questions.length - 1, unknown: 0, decided_by_model: 0 }
                    : null,
              metrics: metrics.map((metric, index) => {
                const head = byMetric[index]!.heads[column]!
                return {
                  group:
                    metric === 'token_f1'
                      ? ('answer' as const)
                      : metric === 'recall_at_5'
                        ? ('retrieval' as const)
                        : ('ragas' as const),
                  metric,
                  state:
                    head.n === head.expected
                      ? ('ok' as const)
                      : head.n > 0
                        ? ('partial' as const)
                        : ('not_evaluable' as const),
                  ...{ mean: head.mean, scored: head.n, expected: head.expected, coverage: head.coverage },
                  ...{
                    errors: head.states.error,
                    timeouts: head.states.timeout,
                    unevaluable: head.states.not_evaluable,
                  },
                  ...{ disabled: 0, not_run: head.states.not_run, missing: 0 },
                  errors_by_reason: reasonCount('score_not_finite', head.states.error),
                  unevaluable_by_reason: reasonCount('retrieved_contexts_required', head.states.not_evaluable),
                  ...{ unequal_coverage: byMetric[index]!.unequal_coverage, common: null },
                }
              }),
            }
          }),
          notes: ['graph-rag answers without contexts: faithfulness and recall_at_5 cannot be measured for it.'],
        }
      }),
    },
  }
}
