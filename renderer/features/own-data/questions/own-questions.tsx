import { Button, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, useInfiniteQuery, useMutation, useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import type { OwnDataset } from '../../../../contract/control/own-datasets.ts'
import type { Question } from '../../../../contract/manifests/queries.ts'
import { count } from '../../../components/format.ts'
import { MarkedText } from '../../../components/marked-text.tsx'
import { RowButton } from '../../../components/row-button.tsx'
import { notifyUndo } from '../../../components/notify-undo.tsx'
import { EmptyPanel, ErrorPanel, LoadingRows } from '../../../components/states.tsx'
import table from '../../../components/table.module.css'
import { DataTable, num } from '../../../components/tables.tsx'
import { api, control } from '../../../data/client.ts'
import { DraftList } from './draft-list.tsx'
import { DraftQuestions } from './draft-questions.tsx'
import { AnswerText, ImportQuestions } from './import-questions.tsx'
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
    <div className="row">
      <ImportQuestions own={own} isFirst={total === 0} />
      <Button onClick={() => openEditor(NEW_QUESTION)}>{WORDS.add}</Button>
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
      <DataTable
        stacks
        label={WORDS.table}
        rows={questions}
        keyOf={({ id }) => id}
        columns={[
          [
            WORDS.question,
            ({ id, query: text, answerable }) => (
              <>
                <MarkedText text={text} />
                <div className="dim">
                  {id}
                  {!answerable && ` · ${WORDS.notAnswerable}`}
                </div>
              </>
            ),
            styles.query,
          ],
          [WORDS.answer, (question) => <AnswerText text={question.ground_truth} />, styles.answer],
          [num(WORDS.gold), ({ gold }) => count(gold.length)],
          [num(WORDS.hops), ({ hops }) => hops ?? WORDS.noAnswer],
          [WORDS.tags, ({ tags }) => tags.join(', '), table.wrap],
          [WORDS.actions, (question) => <QuestionActions own={own} question={question} onOpen={openEditor} />],
        ]}
      />
      {query.hasNextPage && (
        <Button w={200} loading={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
          {WORDS.showMore(Math.min(PAGE, matching - questions.length))}
        </Button>
      )}
    </>
  )
}

interface QuestionActionsProps {
  own: OwnDataset
  question: Question
  onOpen: (id: string) => void
}

function QuestionActions({ own, question, onOpen }: QuestionActionsProps) {
  const refresh = useDatasetRefresh()
  const { dataset_id, revision } = own
  const { id, ...content } = question
  const copy = useMutation(
    api.datasets.saveQuestion.mutationOptions({
      meta: { failed: WORDS.duplicating },
      onSuccess: async ({ dataset: written, question_id: made }) => {
        await refresh(written)
        onOpen(made)
      },
    }),
  )
  const restore = useMutation({
    // The revision of now: others may have been deleted meanwhile.
    mutationFn: async () => {
      const now = await control.datasets.own({ dataset_id })
      return control.datasets.saveQuestion({ dataset_id, revision: now.revision, question })
    },
    onSuccess: ({ dataset: written }) => refresh(written),
    meta: { failed: WORDS.restoring },
  })
  const remove = useMutation(
    api.datasets.removeQuestion.mutationOptions({
      onSuccess: async (written) => {
        notifyUndo(WORDS.removed(id), OWN_WORDS.undo, () => restore.mutate())
        await refresh(written)
      },
      meta: { failed: WORDS.removing },
    }),
  )
  return (
    <div className="row tight">
      <RowButton size="compact-xs" label={WORDS.edit} of={id} onClick={() => onOpen(id)} />
      <RowButton
        size="compact-xs"
        label={WORDS.duplicate}
        of={id}
        loading={copy.isPending}
        onClick={() =>
          copy.mutate({ dataset_id, revision, question: { ...content, query: WORDS.copyOf(content.query) } })
        }
      />
      <RowButton
        size="compact-xs"
        label={WORDS.remove}
        of={id}
        loading={remove.isPending}
        onClick={() => remove.mutate({ dataset_id, revision, question_id: id })}
      />
    </div>
  )
}
