import { Button, Checkbox, Textarea } from '@mantine/core'
import { useDebouncedCallback } from '@mantine/hooks'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import {
  MAX_QUESTIONS_CHARACTERS,
  type FoundPassages,
  type LinePassage,
  type OwnDataset,
  type ReadQuestionsResult,
} from '../../../../contract/control/own-datasets.ts'
import { controlErrorOf } from '../../../../contract/control/control-error.ts'
import { decodedText, TextEncodingError } from '../../../../core/decoded-text.ts'
import { DataTable, num } from '../../../components/tables.tsx'
import { DialogButton, DialogForm } from '../../../components/dialog-form.tsx'
import { FilePicker } from '../../../components/file-dropzone.tsx'
import { count } from '../../../components/format.ts'
import { MarkedText } from '../../../components/marked-text.tsx'
import { notifyDone } from '../../../components/notify.ts'
import table from '../../../components/table.module.css'
import { factSpans } from '../../../components/text-match.ts'
import { api } from '../../../data/client.ts'
import styles from '../own-data.module.css'
import { OWN_WORDS } from '../own-words.ts'
import { useDatasetRefresh } from '../use-own-dataset.ts'

const WORDS = OWN_WORDS.import

const FORMATS = ['csv', 'tsv', 'jsonl', 'json'] as const
const MOST_BYTES = MAX_QUESTIONS_CHARACTERS
/** A longer text would hold up the page while it is in a field. */
const MOST_SHOWN = 200_000
/** Lines of the preview that are shown at once. */
const PAGE = 100

interface ImportQuestionsProps {
  own: OwnDataset
  /** True where the dataset has no question yet. */
  isFirst: boolean
}

/** Takes many questions at once from a paste or a file. The preview shows each line as it would be stored, what is wrong with it, and a passage that holds its answer. */
export const ImportQuestions = ({ own, isFirst }: ImportQuestionsProps) => (
  <DialogButton
    variant={isFirst ? 'filled' : 'default'}
    label={OWN_WORDS.questions.import}
    title={WORDS.title}
    width="min(1200px, 96vw)"
  >
    {(close) => <ImportForm own={own} onClose={close} />}
  </DialogButton>
)

type ReadLine = ReadQuestionsResult['lines'][number]

/** True for a question whose gold passage can be looked up by its answer. */
const isLookedUp = ({ question }: ReadLine): boolean =>
  question !== null && question.gold.length === 0 && question.answerable && question.ground_truth !== null

function ImportForm({ own: { dataset_id, revision }, onClose }: { own: OwnDataset; onClose: () => void }) {
  const refresh = useDatasetRefresh()
  const [text, setText] = useState('')
  const [problem, setProblem] = useState<string | null>(null)
  const [ticked, setTicked] = useState<ReadonlySet<number>>(new Set())
  const look = useMutation(api.datasets.findPassages.mutationOptions())
  const read = useMutation(
    api.datasets.readQuestions.mutationOptions({
      onSuccess: ({ lines }, input) => lines.some(isLookedUp) && look.mutate(input),
    }),
  )
  const readLater = useDebouncedCallback(read.mutate, 300)
  const fine = read.data?.fine ?? 0
  const save = useMutation(
    api.datasets.importQuestions.mutationOptions({
      onSuccess: async (written) => {
        await refresh(written)
        notifyDone(WORDS.imported(fine))
        onClose()
      },
    }),
  )
  const change = (next: string, format: (typeof FORMATS)[number] | null = null): void => {
    setText(next)
    // The preview is no longer what would be imported.
    for (const each of [read, look, save]) each.reset()
    setTicked(new Set())
    setProblem(null)
    if (next.trim() !== '') readLater({ dataset_id, format, text: next })
  }
  const take = async (file: File | undefined): Promise<void> => {
    if (file === undefined) return
    if (file.size > MOST_BYTES) {
      setProblem(WORDS.tooLarge)
      return
    }
    const ending = file.name.split('.').at(-1)?.toLowerCase()
    try {
      const content = decodedText(new Uint8Array(await file.arrayBuffer()))
      change(content, FORMATS.find((each) => each === ending) ?? null)
    } catch (error) {
      if (!(error instanceof TextEncodingError)) throw error
      setProblem(WORDS.unreadable(file.name, error.message))
    }
  }
  const isCurrent = read.data !== undefined && read.variables.text === text
  const looked = look.variables?.text === text ? look.data : undefined
  const passages = looked?.passages ?? []
  return (
    <DialogForm
      submit={isCurrent ? WORDS.confirm(fine) : null}
      cancel={WORDS.cancel}
      isReady={fine > 0}
      isPending={save.isPending}
      problem={problem ?? save.error ?? look.error}
      others={
        <FilePicker
          label={WORDS.chooseFile}
          accept=".csv,.tsv,.jsonl,.json,.txt"
          onFiles={([file]) => void take(file)}
        />
      }
      onCancel={onClose}
      onSubmit={() => {
        if (!isCurrent || fine === 0) return
        const confirmed = passages.filter(({ line }) => ticked.has(line))
        save.mutate({ ...read.variables, revision, confirmed })
      }}
    >
      <Textarea
        label={WORDS.paste}
        description={WORDS.pasteAbout}
        data-autofocus
        autosize
        minRows={4}
        maxRows={10}
        value={text.length > MOST_SHOWN ? '' : text}
        placeholder={text.length > MOST_SHOWN ? WORDS.long(text.length) : WORDS.example}
        error={read.isError ? controlErrorOf(read.error).message : null}
        onChange={({ currentTarget: { value } }) => change(value)}
      />
      {isCurrent && (
        <Preview
          read={read.data}
          passages={passages}
          without={looked?.without ?? []}
          ticked={ticked}
          onTick={setTicked}
        />
      )}
      {look.isPending && <p role="status">◐ {WORDS.looking}</p>}
      {looked !== undefined && looked.unread.length > 0 && <p className="dim">{WORDS.unread(looked.unread)}</p>}
    </DialogForm>
  )
}

interface PreviewProps {
  read: ReadQuestionsResult
  /** Proposed as gold facts. */
  passages: readonly LinePassage[]
  /** Lines whose answer was looked up without a passage to propose. */
  without: FoundPassages['without']
  /** Lines whose passage the person confirmed. */
  ticked: ReadonlySet<number>
  onTick: (ticked: ReadonlySet<number>) => void
}

function Preview({ read: { format, fine, refused, lines }, passages, without, ticked, onTick }: PreviewProps) {
  const [shown, setShown] = useState(PAGE)
  const all = passages.map(({ line }) => line)
  return (
    <>
      <p role="status">
        {WORDS.detected(format)} {WORDS.summary(fine, refused)}{' '}
        {lines.length < fine + refused && WORDS.firstLines(lines.length)}
      </p>
      {all.length > 0 && (
        <Checkbox
          label={WORDS.confirmAll(all.length)}
          description={WORDS.confirmAbout}
          checked={ticked.size === all.length}
          indeterminate={ticked.size > 0 && ticked.size < all.length}
          onChange={({ currentTarget: { checked } }) => onTick(new Set(checked ? all : []))}
        />
      )}
      <div className={styles.preview}>
        <DataTable
          label={WORDS.preview}
          rows={lines.slice(0, shown)}
          keyOf={({ line }) => line}
          columns={[
            [num(WORDS.line), ({ line }) => count(line)],
            [
              WORDS.state,
              ({ question, problems }) => (question !== null && problems.length === 0 ? WORDS.fine : WORDS.wrong),
              'nowrap',
            ],
            [
              OWN_WORDS.questions.question,
              ({ question, problems }) => (
                <>
                  {question !== null && <MarkedText text={question.query} />}
                  {problems.map((text) => (
                    <div key={text} className="bad">
                      {text}
                    </div>
                  ))}
                </>
              ),
              styles.query,
            ],
            [
              OWN_WORDS.questions.answer,
              ({ question }) => <AnswerText text={question?.ground_truth ?? null} />,
              styles.answer,
            ],
            [
              WORDS.gold,
              ({ line, question }) => (
                <>
                  {passages
                    .filter((each) => each.line === line)
                    .map(({ document, fact }) => (
                      <Checkbox
                        key={line}
                        label={
                          <>
                            <MarkedText text={fact} spans={factSpans(fact, answerWords(question?.ground_truth))} />{' '}
                            <span className="dim">{document}</span>
                          </>
                        }
                        checked={ticked.has(line)}
                        onChange={() => onTick(ticked.symmetricDifference(new Set([line])))}
                      />
                    ))}
                  <GoldOfLine question={question} reason={without.find((each) => each.line === line)?.reason} />
                </>
              ),
              table.wrap,
            ],
          ]}
        />
        {lines.length > shown && (
          <Button onClick={() => setShown(shown + PAGE)}>{WORDS.showMore(Math.min(PAGE, lines.length - shown))}</Button>
        )}
      </div>
    </>
  )
}

interface GoldOfLineProps {
  question: ReadLine['question']
  /** Why its answer led to no passage; undefined where one was found, or none was looked up. */
  reason: FoundPassages['without'][number]['reason'] | undefined
}

/** Shows a line's gold facts, or why it gets none and what to do. */
function GoldOfLine({ question, reason }: GoldOfLineProps) {
  if (question === null) return null
  if (question.gold.length > 0) return count(question.gold.length)
  const known = question.answerable ? (question.ground_truth === null ? 'no_answer' : reason) : 'not_answerable'
  return known !== undefined && <span className="dim">○ {WORDS.without[known]}</span>
}

/** The expected answer of a question; a sign where it has none. */
export const AnswerText = ({ text }: { text: string | null }) =>
  text === null ? OWN_WORDS.questions.noAnswer : <MarkedText text={text} />

/** The answer as a passage holds it: without the mark that ends it. */
const answerWords = (answer: string | null | undefined): string => (answer ?? '').replace(/[\s.!?]+$/, '')
