import { Button, Textarea, TextInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { controlErrorOf } from '../../../contract/control/control-error.ts'
import { notifyDone } from '../../components/notify.ts'
import { api, control } from '../../data/client.ts'
import styles from './datasets.module.css'
import { DATASETS_WORDS } from './datasets-words.ts'

const WORDS = DATASETS_WORDS.addQuestion

/** One more question for a dataset, with its right answer where it is known. */
export function AddQuestion({ dataset, file, isPublished }: { dataset: string; file: string; isPublished: boolean }) {
  const client = useQueryClient()
  const [isOpen, setOpen] = useState(false)
  const [query, setQuery] = useState('')
  const [answer, setAnswer] = useState('')
  const adding = useMutation({
    mutationFn: async (question: { query: string; ground_truth: string | null }) => {
      const { revision } = await control.datasets.own({ dataset_id: dataset })
      return control.datasets.saveQuestion({ dataset_id: dataset, revision, question })
    },
    onSuccess: async ({ questions }) => {
      setQuery('')
      setAnswer('')
      notifyDone(WORDS.questionAdded(questions.at(-1)!.id))
      await Promise.all([
        client.invalidateQueries({ queryKey: api.datasets.key() }),
        client.invalidateQueries({ queryKey: api.experiment.key() }),
      ])
    },
  })
  if (!isOpen)
    return (
      <Button variant="default" w={160} onClick={() => setOpen(true)}>
        {WORDS.addAQuestion}
      </Button>
    )
  return (
    <form
      className={styles.question}
      aria-label={WORDS.addAQuestion}
      onSubmit={(event) => {
        event.preventDefault()
        const truth = answer.trim()
        adding.mutate({ query: query.trim(), ground_truth: truth === '' ? null : truth })
      }}
    >
      <TextInput
        label={WORDS.question}
        autoFocus
        value={query}
        error={adding.isError ? controlErrorOf(adding.error).message : undefined}
        onChange={({ currentTarget }) => setQuery(currentTarget.value)}
      />
      <Textarea
        label={WORDS.rightAnswer}
        description={WORDS.answerAbout}
        autosize
        maxRows={6}
        value={answer}
        onChange={({ currentTarget }) => setAnswer(currentTarget.value)}
      />
      <p className="dim">
        {WORDS.writtenTo(file)}
        {isPublished && WORDS.publishedStay}
      </p>
      <div className={styles.actions}>
        <Button type="submit" loading={adding.isPending} disabled={query.trim() === ''}>
          {WORDS.addTheQuestion}
        </Button>
        <Button variant="default" onClick={() => setOpen(false)}>
          {WORDS.close}
        </Button>
      </div>
    </form>
  )
}
