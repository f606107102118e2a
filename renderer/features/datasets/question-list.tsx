import { Button } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { DatasetView } from '../../../contract/control/experiment.ts'
import { ApproachName } from '../../components/approach-name.tsx'
import { count, plural } from '../../components/format.ts'
import { directionOf } from '../../components/light-markup.ts'
import { MarkedText } from '../../components/marked-text.tsx'
import { Loaded } from '../../components/states.tsx'
import { api } from '../../data/client.ts'
import styles from './datasets.module.css'
import { DATASETS_WORDS } from './datasets-words.ts'

const WORDS = DATASETS_WORDS.questionList

const PAGE = 100

/** Questions with their ground truth, and each gold fact with the document that holds it. */
export function QuestionList({ dataset: { id: dataset, questions: total } }: { dataset: DatasetView }) {
  const query = useInfiniteQuery(
    api.datasets.questions.infiniteOptions({
      input: (offset: number) => ({ dataset_id: dataset, offset, limit: PAGE }),
      initialPageParam: 0,
      getNextPageParam: ({ offset, questions }) =>
        offset + questions.length < total && questions.length > 0 ? offset + questions.length : undefined,
    }),
  )
  if (query.data === undefined) return <Loaded query={query} what={WORDS.theQuestions} rows={10} height={96} />
  const questions = query.data.pages.flatMap((page) => page.questions)
  return (
    <>
      <ol className={styles.questions}>
        {questions.map(({ question, gold }) => (
          <li key={question.id} className="box stack snug" dir={directionOf(question.query)}>
            <span className="dim">
              {question.id}
              {question.hops !== null && ` · ${plural(question.hops, 'hop')}`}
              {!question.answerable && WORDS.notAnswerable}
              {question.expect_winner !== null && (
                <>
                  {WORDS.expectedBest}
                  <ApproachName alias={question.expect_winner} short />
                </>
              )}
            </span>
            <strong>
              <MarkedText text={question.query} />
            </strong>
            {question.ground_truth !== null && <MarkedText text={question.ground_truth} />}
            {gold.length > 0 && (
              <ul className={styles.facts}>
                {gold.map(({ document, fact, is_text: isText, spans }, index) => (
                  <li key={index}>
                    {fact === null ? (
                      WORDS.goldDocument
                    ) : (
                      <MarkedText text={fact} spans={[{ start: 0, end: fact.length }]} />
                    )}{' '}
                    <Link to="/datasets" search={{ dataset, view: 'documents', document }}>
                      {document}
                    </Link>
                    {fact !== null && !isText && <span className="dim">{WORDS.notLookedFor}</span>}
                    {fact !== null && isText && spans.length === 0 && WORDS.factNotFound}
                  </li>
                ))}
              </ul>
            )}
          </li>
        ))}
      </ol>
      {query.hasNextPage && (
        <Button loading={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()} w={240}>
          {WORDS.showMoreOf(count(questions.length), count(total))}
        </Button>
      )}
    </>
  )
}
