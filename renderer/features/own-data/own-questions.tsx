import { Button } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import type { OwnDataset } from '../../../contract/control/own-datasets.ts'
import type { Question } from '../../../contract/manifests/queries.ts'
import { count } from '../../components/format.ts'
import { MarkedText } from '../../components/marked-text.tsx'
import { notifyFailure } from '../../components/notify.ts'
import { notifyUndo } from '../../components/notify-undo.tsx'
import { EmptyPanel, ErrorPanel, LoadingRows } from '../../components/states.tsx'
import table from '../../components/table.module.css'
import { api, control } from '../../data/client.ts'
import { ImportQuestions } from './import-questions.tsx'
import { QuestionEditor } from './question-editor.tsx'
import styles from './own-data.module.css'
import { OWN_WORDS } from './own-words.ts'
import { useDatasetRefresh, useOwnDataset } from './use-own-dataset.ts'

const WORDS = OWN_WORDS.questions

/** Rows of the table that are shown at once. */
const PAGE = 100

/** In the address: the question that is being written and has no id yet. */
export const NEW_QUESTION = '+'

/** Questions of a dataset that can be edited: the table, or the one that the address names in its editor. */
export function OwnQuestions({ dataset }: { dataset: string }) {
  const { data, isError, error, refetch } = useOwnDataset(dataset)
  const { question: open } = useSearch({ from: '/datasets' })
  if (isError) return <ErrorPanel error={error} what={WORDS.theQuestions} retry={() => void refetch()} />
  if (data === undefined) return <LoadingRows rows={10} />
  const edited = data.questions.find(({ id }) => id === open) ?? null
  if (open === NEW_QUESTION || edited !== null) return <QuestionEditor key={open} own={data} edited={edited} />
  return <QuestionTable own={data} />
}

function QuestionTable({ own }: { own: OwnDataset }) {
  const navigate = useNavigate({ from: '/datasets' })
  const [shown, setShown] = useState(PAGE)
  const { questions, dataset_id: dataset } = own
  const openEditor = (question: string): void => void navigate({ search: { dataset, view: 'questions', question } })
  const tools = (
    <div className={styles.choose}>
      <Button onClick={() => openEditor(NEW_QUESTION)}>{WORDS.add}</Button>
      <ImportQuestions own={own} />
    </div>
  )
  if (questions.length === 0)
    return (
      <EmptyPanel title={WORDS.empty}>
        <p>{WORDS.emptyAbout}</p>
        {tools}
      </EmptyPanel>
    )
  return (
    <>
      {tools}
      <div className={table.scroll}>
        <table className={table.table} aria-label={WORDS.table}>
          <thead>
            <tr>
              <th scope="col">{WORDS.question}</th>
              <th scope="col">{WORDS.answer}</th>
              <th scope="col" className={table.num}>
                {WORDS.gold}
              </th>
              <th scope="col" className={table.num}>
                {WORDS.hops}
              </th>
              <th scope="col">{WORDS.tags}</th>
              <th scope="col">{WORDS.actions}</th>
            </tr>
          </thead>
          <tbody>
            {questions.slice(0, shown).map((question) => (
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
      {questions.length > shown && (
        <Button variant="default" w={200} onClick={() => setShown(shown + PAGE)}>
          {WORDS.showMore(Math.min(PAGE, questions.length - shown))}
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
      onSuccess: async (written) => {
        await refresh(written)
        const known = new Set(own.questions.map((each) => each.id))
        const made = written.questions.find((each) => !known.has(each.id))
        if (made !== undefined) onCopied(made.id)
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
    onSuccess: refresh,
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
