import { Button, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, useInfiniteQuery, useMutation, useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import type { OwnDataset } from '../../../../contract/control/own-datasets.ts'
import type { Question } from '../../../../contract/manifests/queries.ts'
import { count } from '../../../components/format.ts'
import { MarkedText } from '../../../components/marked-text.tsx'
import { notifyFailure } from '../../../components/notify.ts'
import { notifyUndo } from '../../../components/notify-undo.tsx'
import { EmptyPanel, ErrorPanel, LoadingRows } from '../../../components/states.tsx'
import table from '../../../components/table.module.css'
import { num, TableHead } from '../../../components/table-head.tsx'
import { api, control } from '../../../data/client.ts'
import { DraftList } from './draft-list.tsx'
import { DraftQuestions } from './draft-questions.tsx'
import { ImportQuestions } from './import-questions.tsx'
import { QuestionEditor } from './question-editor.tsx'
import styles from '../own-data.module.css'
import { OWN_WORDS } from '../own-words.ts'
import { useDatasetRefresh, useOwnDataset } from '../use-own-dataset.ts'

const WORDS = OWN_WORDS.questions

/** Rows of the table that are fetched at once. */
const PAGE = 100

/** In the address: the question that is being written and has no id yet. */
const NEW_QUESTION = '+'

/** Questions of a dataset that can be edited: the table, or the one that the address names in its editor. */
export function OwnQuestions({ dataset }: { dataset: string }) {
  const { data, isError, error, refetch } = useOwnDataset(dataset)
  const { question: open } = useSearch({ from: '/datasets' })
  const named = open === undefined || open === NEW_QUESTION ? null : open
  const one = useQuery({
    ...api.datasets.ownQuestions.queryOptions({ input: { dataset_id: dataset, question_id: named ?? '-' } }),
    enabled: named !== null,
  })
  if (isError) return <ErrorPanel error={error} what={WORDS.theQuestions} retry={() => void refetch()} />
  if (data === undefined || (named !== null && one.isPending)) return <LoadingRows rows={10} />
  const edited = named === null ? null : (one.data?.questions[0] ?? null)
  if (open === NEW_QUESTION || edited !== null) return <QuestionEditor key={open} own={data} edited={edited} />
  return <QuestionTable own={data} />
}

/** The questions that hold the words of a text, a page at a time. */
function useQuestions({ dataset_id: dataset }: OwnDataset, text: string) {
  return useInfiniteQuery({
    ...api.datasets.ownQuestions.infiniteOptions({
      input: (offset: number) => ({ dataset_id: dataset, offset, limit: PAGE, text }),
      initialPageParam: 0,
      getNextPageParam: ({ offset, matching, questions }) =>
        offset + questions.length < matching && questions.length > 0 ? offset + questions.length : undefined,
    }),
    placeholderData: keepPreviousData,
  })
}

function QuestionTable({ own }: { own: OwnDataset }) {
  const navigate = useNavigate({ from: '/datasets' })
  const [typed, setTyped] = useState('')
  const [text] = useDebouncedValue(typed.trim(), 200)
  const query = useQuestions(own, text)
  const { questions: total, dataset_id: dataset } = own
  const openEditor = (question: string): void => void navigate({ search: { dataset, view: 'questions', question } })
  const tools = (
    <div className={styles.choose}>
      <ImportQuestions own={own} isFirst={total === 0} />
      <Button variant="default" onClick={() => openEditor(NEW_QUESTION)}>
        {WORDS.add}
      </Button>
      <DraftQuestions dataset={dataset} />
    </div>
  )
  if (total === 0)
    return (
      <>
        <EmptyPanel title={WORDS.empty}>
          <p>{WORDS.emptyAbout}</p>
          {tools}
        </EmptyPanel>
        <DraftList own={own} />
      </>
    )
  if (query.isError)
    return <ErrorPanel error={query.error} what={WORDS.theQuestions} retry={() => void query.refetch()} />
  const pages = query.data?.pages ?? []
  const questions = pages.flatMap((page) => page.questions)
  const matching = pages[0]?.matching ?? total
  return (
    <>
      {tools}
      <DraftList own={own} />
      <TextInput
        label={WORDS.search}
        description={WORDS.searchAbout}
        maxLength={200}
        maw={420}
        value={typed}
        onChange={({ currentTarget: { value } }) => setTyped(value)}
      />
      <p role="status" className="dim">
        {matching === 0 ? WORDS.noneFound : WORDS.found(matching, total)}
      </p>
      <div className={table.scroll}>
        <table className={table.table} aria-label={WORDS.table}>
          <TableHead
            columns={[WORDS.question, WORDS.answer, num(WORDS.gold), num(WORDS.hops), WORDS.tags, WORDS.actions]}
          />
          <tbody>
            {questions.map((question) => (
              <tr key={question.id}>
                <th scope="row" className={styles.query}>
                  <MarkedText text={question.query} />
                  <div className="dim">
                    {question.id}
                    {!question.answerable && ` · ${WORDS.notAnswerable}`}
                  </div>
                </th>
                <td className={styles.answer}>
                  {question.ground_truth === null ? WORDS.noAnswer : <MarkedText text={question.ground_truth} />}
                </td>
                <td className={table.num}>{count(question.gold.length)}</td>
                <td className={table.num}>{question.hops ?? WORDS.noAnswer}</td>
                <td className={table.wrap}>{question.tags.join(', ')}</td>
                <td>
                  <div className={styles.rowActions}>
                    <Button
                      size="compact-xs"
                      variant="default"
                      aria-label={WORDS.editOf(question.id)}
                      onClick={() => openEditor(question.id)}
                    >
                      {WORDS.edit}
                    </Button>
                    <QuestionActions own={own} question={question} onCopied={openEditor} />
                  </div>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {query.hasNextPage && (
        <Button variant="default" w={200} loading={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
          {WORDS.showMore(Math.min(PAGE, matching - questions.length))}
        </Button>
      )}
    </>
  )
}

interface QuestionActionsProps {
  own: OwnDataset
  question: Question
  onCopied: (id: string) => void
}

function QuestionActions({ own, question, onCopied }: QuestionActionsProps) {
  const refresh = useDatasetRefresh()
  const { dataset_id, revision } = own
  const { id, ...content } = question
  const copy = useMutation(
    api.datasets.saveQuestion.mutationOptions({
      onSuccess: async ({ dataset: written, question_id: made }) => {
        await refresh(written)
        onCopied(made)
      },
      onError: (error) => notifyFailure(WORDS.duplicating, error),
    }),
  )
  const restore = useMutation({
    // The revision of now: others may have been deleted meanwhile.
    mutationFn: async () => {
      const now = await control.datasets.own({ dataset_id })
      return control.datasets.saveQuestion({ dataset_id, revision: now.revision, question })
    },
    onSuccess: ({ dataset: written }) => refresh(written),
    onError: (error) => notifyFailure(WORDS.restoring, error),
  })
  const remove = useMutation(
    api.datasets.removeQuestion.mutationOptions({
      onSuccess: async (written) => {
        notifyUndo(WORDS.removed(id), OWN_WORDS.undo, () => restore.mutate())
        await refresh(written)
      },
      onError: (error) => notifyFailure(WORDS.removing, error),
    }),
  )
  return (
    <>
      <Button
        size="compact-xs"
        variant="default"
        aria-label={WORDS.duplicateOf(id)}
        loading={copy.isPending}
        onClick={() =>
          copy.mutate({ dataset_id, revision, question: { ...content, query: WORDS.copyOf(content.query) } })
        }
      >
        {WORDS.duplicate}
      </Button>
      <Button
        size="compact-xs"
        variant="default"
        aria-label={WORDS.removeOf(id)}
        loading={remove.isPending}
        onClick={() => remove.mutate({ dataset_id, revision, question_id: id })}
      >
        {WORDS.remove}
      </Button>
    </>
  )
}
