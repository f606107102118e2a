import { Button, Checkbox, Textarea } from '@mantine/core'
import { keepPreviousData, useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { DraftedQuestion } from '../../../../contract/control/drafted-questions.ts'
import type { OwnDataset } from '../../../../contract/control/own-datasets.ts'
import { draftFacts } from '../../../../core/draft-words.ts'
import { DialogForm } from '../../../components/dialog-form.tsx'
import { formFields } from '../../../components/form-fields.ts'
import { MarkedText } from '../../../components/marked-text.tsx'
import { notifyDone } from '../../../components/notify.ts'
import { RowButton } from '../../../components/row-button.tsx'
import { ErrorPanel, Panel } from '../../../components/states.tsx'
import { api } from '../../../data/client.ts'
import { DRAFT_WORDS as WORDS } from './draft-words.ts'
import styles from '../own-data.module.css'
import { DATASET_QUERIES, useDatasetRefresh } from '../use-own-dataset.ts'

/** Drafts that wait for a tick, each with its gold passage; nothing where there are none. */
export function DraftList({ own: { dataset_id, revision } }: { own: OwnDataset }) {
  const refresh = useDatasetRefresh()
  const query = useQuery(api.datasets.drafts.queryOptions({ input: { dataset_id } }))
  const drafts = query.data?.drafts ?? []
  const [ticked, setTicked] = useState<ReadonlySet<string>>(new Set())
  const chosen = drafts.filter(({ id }) => ticked.has(id))
  // Questions that are accepted meanwhile change what the set decides: its revision is part of the key.
  const input = { dataset_id, draft_ids: chosen.map(({ id }) => id) }
  const power = useQuery({
    ...api.datasets.draftPower.queryOptions({ input }),
    queryKey: [...api.datasets.draftPower.queryKey({ input }), revision],
    placeholderData: keepPreviousData,
    enabled: drafts.length > 0,
  })
  const accept = useMutation(
    api.datasets.acceptDrafts.mutationOptions({
      meta: { failed: WORDS.accepting },
      onSuccess: async (written, { drafts: accepted }) => {
        notifyDone(WORDS.accepted(accepted.length))
        await refresh(written)
      },
    }),
  )
  const reject = useMutation(
    api.datasets.rejectDrafts.mutationOptions({ meta: { refreshes: DATASET_QUERIES, failed: WORDS.rejecting } }),
  )
  if (query.isError) return <ErrorPanel error={query.error} what={WORDS.theDrafts} retry={() => void query.refetch()} />
  if (drafts.length === 0) return null
  return (
    <Panel title={WORDS.listTitle(drafts.length)}>
      <div className="stack">
        <p className="dim">{WORDS.listAbout}</p>
        <div className="row">
          <Checkbox
            label={WORDS.all}
            checked={chosen.length === drafts.length}
            indeterminate={chosen.length > 0 && chosen.length < drafts.length}
            onChange={({ currentTarget: { checked } }) => setTicked(new Set(checked ? drafts.map(({ id }) => id) : []))}
          />
          <Button
            variant="filled"
            disabled={chosen.length === 0}
            loading={accept.isPending}
            onClick={() => accept.mutate({ dataset_id, revision, drafts: chosen.map(({ id }) => ({ id })) })}
          >
            {WORDS.accept(chosen.length)}
          </Button>
          <Button
            disabled={chosen.length === 0}
            loading={reject.isPending}
            onClick={() => reject.mutate({ dataset_id, draft_ids: chosen.map(({ id }) => id) })}
          >
            {WORDS.reject(chosen.length)}
          </Button>
        </div>
        {power.data !== undefined && (
          <p role="status">{WORDS.power(power.data.questions + power.data.drafts, power.data)}</p>
        )}
        <ul className={styles.drafts} aria-label={WORDS.list}>
          {drafts.map((draft) => (
            <li key={draft.id}>
              <Checkbox
                aria-label={WORDS.select(draft.id)}
                checked={ticked.has(draft.id)}
                onChange={() => setTicked(ticked.symmetricDifference(new Set([draft.id])))}
              />
              <Draft own={{ dataset_id, revision }} draft={draft} />
            </li>
          ))}
        </ul>
      </div>
    </Panel>
  )
}

interface DraftProps {
  own: Pick<OwnDataset, 'dataset_id' | 'revision'>
  draft: DraftedQuestion
}

function Draft({ own, draft }: DraftProps) {
  const [isEdited, setEdited] = useState(false)
  const { id, question } = draft
  if (isEdited) return <EditedDraft own={own} draft={draft} onClose={() => setEdited(false)} />
  return (
    <div className="stack snug">
      <strong>
        <MarkedText text={question.query} />
      </strong>
      {question.ground_truth !== null && <MarkedText text={question.ground_truth} />}
      {question.gold.map(({ document, fact = '' }) => (
        <blockquote key={`${document} ${fact}`} className={styles.passage}>
          <MarkedText text={fact} /> <span className="dim">{document}</span>
        </blockquote>
      ))}
      {draft.nearest !== undefined && (
        <blockquote className={styles.passage}>
          <span className="dim">{WORDS.nearest}</span> <MarkedText text={draft.nearest.text} />{' '}
          <span className="dim">{draft.nearest.document}</span>
        </blockquote>
      )}
      <div className="row">
        <span className="dim">
          {[draftFacts(draft), WORDS.author(draft)].filter((part) => part !== null).join(' · ')}
        </span>
        <RowButton size="compact-xs" label={WORDS.edit} of={id} onClick={() => setEdited(true)} />
      </div>
    </div>
  )
}

/** A draft that a person corrects before it becomes a question. */
function EditedDraft({ own, draft, onClose }: DraftProps & { onClose: () => void }) {
  const refresh = useDatasetRefresh()
  const { id } = draft
  const [question, setQuestion] = useState(draft.question)
  const accept = useMutation(
    api.datasets.acceptDrafts.mutationOptions({
      onSuccess: async (written) => {
        notifyDone(WORDS.accepted(1))
        await refresh(written)
      },
    }),
  )
  const set = (part: Partial<typeof question>): void => {
    setQuestion({ ...question, ...part })
    if (accept.isError) accept.reset()
  }
  const field = formFields({ words: WORDS, draft: question, onChange: set })
  return (
    <DialogForm
      label={WORDS.editOf(id)}
      submit={WORDS.acceptEdited}
      isReady={question.query.trim() !== ''}
      isPending={accept.isPending}
      problem={accept.error}
      onCancel={onClose}
      onSubmit={() => accept.mutate({ ...own, drafts: [{ id, question }] })}
    >
      <Textarea {...field.text('query')} autosize maxLength={8000} data-autofocus />
      <Textarea
        label={WORDS.answer}
        autosize
        maxLength={16_000}
        value={question.ground_truth ?? ''}
        onChange={({ currentTarget: { value } }) => set({ ground_truth: value === '' ? null : value })}
      />
      {question.gold.map(({ document, fact = '' }, index) => (
        <Textarea
          // Passages have no name of their own, and are neither added nor removed here.
          key={index}
          label={WORDS.passage(index + 1)}
          description={document}
          autosize
          value={fact}
          onChange={({ currentTarget: { value } }) =>
            set({ gold: question.gold.map((gold, at) => (at === index ? { ...gold, fact: value } : gold)) })
          }
        />
      ))}
    </DialogForm>
  )
}
