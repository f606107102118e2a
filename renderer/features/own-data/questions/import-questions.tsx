import { Button, FileButton, Modal, Select, Textarea } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import {
  MAX_QUESTIONS_CHARACTERS,
  type OwnDataset,
  type ReadQuestionsResult,
} from '../../../../contract/control/own-datasets.ts'
import { controlErrorOf } from '../../../../contract/control/control-error.ts'
import { decodedText, TextEncodingError } from '../../../../core/decoded-text.ts'
import { count } from '../../../components/format.ts'
import { MarkedText } from '../../../components/marked-text.tsx'
import { notifyDone } from '../../../components/notify.ts'
import table from '../../../components/table.module.css'
import { api } from '../../../data/client.ts'
import styles from '../own-data.module.css'
import { OWN_WORDS } from '../own-words.ts'
import { useDatasetRefresh } from '../use-own-dataset.ts'

const WORDS = OWN_WORDS.import

const FORMATS = ['csv', 'tsv', 'jsonl', 'json'] as const
type Format = (typeof FORMATS)[number]
const MOST_BYTES = MAX_QUESTIONS_CHARACTERS
/** A longer text would hold up the page while it is in a field. */
const MOST_SHOWN = 200_000
/** Lines of the preview that are shown at once. */
const PAGE = 100

/** Takes questions from a paste or a file, after a preview that shows each line as it would be stored, or what is wrong with it. */
export function ImportQuestions({ own }: { own: OwnDataset }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Button variant="default" onClick={() => setOpen(true)}>
        {OWN_WORDS.questions.import}
      </Button>
      <Modal opened={isOpen} onClose={() => setOpen(false)} title={WORDS.title} size="xl" centered>
        <ImportForm own={own} onClose={() => setOpen(false)} />
      </Modal>
    </>
  )
}

function ImportForm({ own: { dataset_id, revision }, onClose }: { own: OwnDataset; onClose: () => void }) {
  const refresh = useDatasetRefresh()
  const [text, setText] = useState('')
  const [format, setFormat] = useState<Format | null>(null)
  const [problem, setProblem] = useState<string | null>(null)
  const read = useMutation(api.datasets.readQuestions.mutationOptions())
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
  const change = (next: string): void => {
    setText(next)
    // The preview is no longer what would be imported.
    read.reset()
    save.reset()
    setProblem(null)
  }
  const take = async (file: File | null): Promise<void> => {
    if (file === null) return
    if (file.size > MOST_BYTES) {
      setProblem(WORDS.tooLarge)
      return
    }
    try {
      change(decodedText(new Uint8Array(await file.arrayBuffer())))
    } catch (error) {
      if (!(error instanceof TextEncodingError)) throw error
      setProblem(WORDS.unreadable(file.name, error.message))
      return
    }
    const ending = file.name.split('.').at(-1)?.toLowerCase()
    setFormat(FORMATS.find((each) => each === ending) ?? null)
  }
  const failure = problem ?? (save.isError ? controlErrorOf(save.error).message : null)
  const refused = read.isError ? controlErrorOf(read.error).message : null
  return (
    <form
      className={styles.form}
      onSubmit={(event) => {
        event.preventDefault()
        if (fine > 0) save.mutate({ dataset_id, revision, format, text })
        else read.mutate({ dataset_id, format, text })
      }}
    >
      <Textarea
        label={WORDS.paste}
        description={WORDS.pasteAbout}
        data-autofocus
        autosize
        minRows={5}
        maxRows={12}
        value={text.length > MOST_SHOWN ? '' : text}
        placeholder={text.length > MOST_SHOWN ? WORDS.long(text.length) : undefined}
        error={refused}
        onChange={({ currentTarget: { value } }) => change(value)}
      />
      <div className={styles.choose}>
        <FileButton
          accept=".csv,.tsv,.jsonl,.json,.txt"
          inputProps={{ 'aria-label': WORDS.chooseFile }}
          onChange={(file) => void take(file)}
        >
          {(props) => (
            <Button {...props} variant="default">
              {WORDS.chooseFile}
            </Button>
          )}
        </FileButton>
        <Select
          size="xs"
          aria-label={WORDS.format}
          allowDeselect={false}
          data={[{ value: '', label: WORDS.auto }, ...FORMATS.map((value) => ({ value, label: value }))]}
          value={format ?? ''}
          onChange={(value) => {
            setFormat(FORMATS.find((each) => each === value) ?? null)
            read.reset()
          }}
        />
        <Button
          variant="default"
          disabled={text.trim() === ''}
          loading={read.isPending}
          onClick={() => read.mutate({ dataset_id, format, text })}
        >
          {WORDS.read}
        </Button>
      </div>
      {read.data !== undefined && <Preview read={read.data} />}
      {failure !== null && <p role="alert">▲ {failure}</p>}
      <div className={styles.buttons}>
        <Button variant="default" onClick={onClose}>
          {WORDS.cancel}
        </Button>
        {read.data !== undefined && (
          <Button type="submit" disabled={fine === 0} loading={save.isPending}>
            {WORDS.confirm(fine)}
          </Button>
        )}
      </div>
    </form>
  )
}

function Preview({ read: { format, fine, refused, lines } }: { read: ReadQuestionsResult }) {
  const [shown, setShown] = useState(PAGE)
  return (
    <>
      <p role="status">
        {WORDS.detected(format)} {WORDS.summary(fine, refused)}{' '}
        {lines.length < fine + refused && WORDS.firstLines(lines.length)}
      </p>
      <div className={styles.preview}>
        <table className={table.table} aria-label={WORDS.preview}>
          <thead>
            <tr>
              <th scope="col" className={table.num}>
                {WORDS.line}
              </th>
              <th scope="col">{WORDS.state}</th>
              <th scope="col">{OWN_WORDS.questions.question}</th>
              <th scope="col">{OWN_WORDS.questions.answer}</th>
              <th scope="col" className={table.num}>
                {OWN_WORDS.questions.gold}
              </th>
            </tr>
          </thead>
          <tbody>
            {lines.slice(0, shown).map(({ line, question, problems }) => (
              <tr key={line}>
                <td className={table.num}>{count(line)}</td>
                <td className={styles.state}>
                  {question !== null && problems.length === 0 ? WORDS.fine : WORDS.wrong}
                </td>
                <td className={styles.query}>
                  {question !== null && <MarkedText text={question.query} />}
                  {problems.map((text) => (
                    <div key={text} className={styles.wrong}>
                      {text}
                    </div>
                  ))}
                </td>
                <td className={styles.answer}>
                  {question === null || question.ground_truth === null ? (
                    OWN_WORDS.questions.noAnswer
                  ) : (
                    <MarkedText text={question.ground_truth} />
                  )}
                </td>
                <td className={table.num}>{question === null ? OWN_WORDS.questions.noAnswer : question.gold.length}</td>
              </tr>
            ))}
          </tbody>
        </table>
        {lines.length > shown && (
          <Button variant="default" onClick={() => setShown(shown + PAGE)}>
            {WORDS.showMore(Math.min(PAGE, lines.length - shown))}
          </Button>
        )}
      </div>
    </>
  )
}
