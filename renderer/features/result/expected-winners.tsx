import { Button } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { IndexMetric } from '../../../contract/control/run-index/metrics.ts'
import { metricOfId } from '../../../contract/metrics/metrics.ts'
import { ApproachName } from '../../components/approach-name.tsx'
import { metricName, score } from '../../components/format.ts'
import { Loaded, Panel } from '../../components/states.tsx'
import { DataTable } from '../../components/tables.tsx'
import table from '../../components/table.module.css'
import { api } from '../../data/client.ts'
import { expectedAndBest, type Scored } from './expected-outcome.ts'
import { RESULT_WORDS } from './result-words.ts'

const WORDS = RESULT_WORDS.expectations
const PAGE = 50

interface ExpectedWinnersProps {
  run: string
  dataset: { dataset_id: string; label: string }
  metric: IndexMetric
}

/** Every question with the approach that its author expected to be best and those that were, each value with a link to its cell; nothing where no author named one. */
export function ExpectedWinners({ run, dataset, metric }: ExpectedWinnersProps) {
  const query = useInfiniteQuery(
    api.matrix.page.infiniteOptions({
      input: (offset: number) => ({ run_id: run, dataset_id: dataset.dataset_id, metric, offset, limit: PAGE }),
      initialPageParam: 0,
      getNextPageParam: ({ offset, rows, matching }) =>
        offset + rows.length < matching && rows.length > 0 ? offset + rows.length : undefined,
    }),
  )
  const better = metricOfId(metric).better
  const questions = (query.data?.pages ?? []).flatMap(({ rows, aliases }) =>
    rows.map((row) => ({ ...row, ...expectedAndBest(row, aliases, better), compared: aliases.length })),
  )
  const total = query.data?.pages[0]?.matching ?? 0
  const cell = ({ row, value }: Scored) => (
    <Link to="/runs/$run/cell" params={{ run }} search={{ row, dataset: dataset.dataset_id, metric }}>
      {score(value)}
    </Link>
  )
  const title = WORDS.title(dataset.label)
  if (query.data !== undefined && questions.every(({ expect_winner: named }) => named === null)) return null
  return (
    <Panel title={title}>
      <Loaded query={query} what={WORDS.what} rows={8} height={36} />
      {query.data !== undefined && (
        <>
          <p className="dim">
            {WORDS.summary(
              metricName(metric),
              questions.map(({ outcome }) => outcome),
              total,
            )}
          </p>
          <DataTable
            label={title}
            rows={questions}
            keyOf={({ question_id: id, repeat }) => `${id} ${repeat}`}
            columns={[
              [WORDS.question, ({ query: text, question_id: id }) => text ?? id, table.wrap],
              [
                WORDS.expected,
                ({ expect_winner: named, expected }) => (
                  <>
                    {named === null ? (
                      <span className="dim">{WORDS.notNamed}</span>
                    ) : (
                      <ApproachName alias={named} short />
                    )}{' '}
                    {expected !== null && cell(expected)}
                  </>
                ),
              ],
              [
                WORDS.observed,
                ({ best, compared }) =>
                  best.length === compared && compared > 1 ? (
                    <>
                      {WORDS.all(compared)} {cell(best[0]!)}
                    </>
                  ) : (
                    best.map((each) => (
                      <span key={each.model}>
                        <ApproachName alias={each.model} short /> {cell(each)}{' '}
                      </span>
                    ))
                  ),
                table.wrap,
              ],
              [WORDS.outcome, ({ outcome }) => WORDS.outcomes[outcome]],
            ]}
          />
          {query.hasNextPage && (
            <Button loading={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()} mt={12}>
              {WORDS.more(questions.length, total)}
            </Button>
          )}
        </>
      )}
    </Panel>
  )
}
