import { Button } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import type { JudgeResults } from '../../../contract/control/judging.ts'
import { ApproachName } from '../../components/approach-name.tsx'
import { count, score } from '../../components/format.ts'
import { MarkedText } from '../../components/marked-text.tsx'
import { ErrorPanel, LoadingRows } from '../../components/states.tsx'
import { type DataColumn, DataTable, num } from '../../components/tables.tsx'
import { api } from '../../data/client.ts'
import { JUDGES_WORDS as WORDS } from './judges-words.ts'
import styles from './judges.module.css'
import type { Round } from './use-ballot.ts'

const PAGE = 25
function QuestionReasons({ query: { query, human } }: { query: JudgeResults['queries'][number] }) {
  const judges = Object.entries(query.per_judge)
  const models = Object.entries(query.mean_by_approach).toSorted(([, a], [, b]) => b - a)
  const why = query.inconclusive ?? null
  return (
    <details className={styles.reasons}>
      <summary>
        <MarkedText text={query.query} />
        <span className="nowrap">
          {query.observed_winner !== null ? (
            <ApproachName alias={query.observed_winner} short />
          ) : (
            <span className="dim">{why === null ? WORDS.noWinner : WORDS.noWinnerBecause(WORDS.whyNoWinner[why])}</span>
          )}
        </span>
      </summary>
      {(human?.note ?? '') !== '' && (
        <p>
          <span className="dim">{WORDS.yourNote}</span>
          <MarkedText text={human!.note} />
        </p>
      )}
      <DataTable
        stacks="early"
        label={WORDS.reasonsFor(query.query_id)}
        rows={models}
        keyOf={([model]) => model}
        columns={[
          [WORDS.columns.approach, ([model]) => <ApproachName alias={model} short />],
          [num(WORDS.columns.meanShort), ([, mean]) => score(mean)],
          human !== null && [
            num(WORDS.columns.you),
            ([model]) => `${human.scores[model] ?? '–'}${human.best === model ? ' ★' : ''}`,
          ],
          ...judges.map(([judge, { scores, best, reasons }]): DataColumn<(typeof models)[number]> => [
            { head: judge, className: styles.judgeHead },
            ([model]) => (
              <>
                <strong>
                  {score(scores[model])}
                  {best === model && ' ★'}
                </strong>{' '}
                <MarkedText text={reasons?.[model] ?? ''} />
              </>
            ),
            styles.reason,
          ]),
        ]}
      />
    </details>
  )
}

/** Question by question: who won, and each judge's reason for each grade. */
export function ReasonList({ round, total }: { round: Round; total: number }) {
  const query = useInfiniteQuery(
    api.judges.results.infiniteOptions({
      input: (offset: number) => ({ run_id: round.run, dataset_id: round.dataset, offset, limit: PAGE }),
      initialPageParam: 0,
      getNextPageParam: ({ offset, queries }) =>
        queries.length > 0 && offset + queries.length < total ? offset + queries.length : undefined,
    }),
  )
  if (query.isError)
    return <ErrorPanel error={query.error} what={WORDS.results.theReasons} retry={() => void query.refetch()} />
  if (query.data === undefined) return <LoadingRows rows={10} height={36} />
  const queries = query.data.pages.flatMap((page) => page.queries)
  return (
    <>
      {queries.map((each) => (
        <QuestionReasons key={each.query.query_id} query={each} />
      ))}
      {query.hasNextPage && (
        <Button mt={12} loading={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
          {WORDS.more(count(queries.length), count(total))}
        </Button>
      )}
    </>
  )
}
