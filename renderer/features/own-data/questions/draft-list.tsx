import { Button, Checkbox, Textarea } from '@mantine/core'
import { keepPreviousData, useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { controlErrorOf } from '../../../../contract/control/control-error.ts'
import type { DraftedQuestion } from '../../../../contract/control/drafted-questions.ts'
import type { OwnDataset } from '../../../../contract/control/own-datasets.ts'
import { draftFacts } from '../../../../core/draft-words.ts'
import { MarkedText } from '../../../components/marked-text.tsx'
import { notifyDone, notifyFailure } from '../../../components/notify.ts'
import { ErrorPanel, Panel } from '../../../components/states.tsx'
import { api } from '../../../data/client.ts'
import { DRAFT_WORDS as WORDS } from './draft-words.ts'
import styles from '../own-data.module.css'
import { useDatasetRefresh } from '../use-own-dataset.ts'

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
      onSuccess: async (written, { drafts: accepted }) => {
        notifyDone(WORDS.accepted(accepted.length))
        await refresh(written)
      },
      onError: (error) => notifyFailure(WORDS.accepting, error),
    }),
  )
  const reject = useMutation(
    api.datasets.rejectDrafts.mutationOptions({
      onSuccess: () => refresh(),
      onError: (error) => notifyFailure(WORDS.rejecting, error),
    }),
  )
  if (query.isError) return <ErrorPanel error={query.error} what={WORDS.theDrafts} retry={() => void query.refetch()} />
  if (drafts.length === 0) return null
  const tick = (id: string, isTicked: boolean): void => {
    const next = new Set(ticked)
    if (isTicked) next.add(id)
    else next.delete(id)
    setTicked(next)
  }
  return (
    <Panel title={WORDS.listTitle(drafts.length)}>
      <div className={styles.draftPanel}>
        <p className="dim">{WORDS.listAbout}</p>
        <div className={styles.choose}>
          <Checkbox
            label={WORDS.all}
            checked={chosen.length === drafts.length}
            indeterminate={chosen.length > 0 && chosen.length < drafts.length}
            onChange={({ currentTarget: { checked } }) => setTicked(new Set(checked ? drafts.map(({ id }) => id) : []))}
          />
          <Button
            disabled={chosen.length === 0}
            loading={accept.isPending}
            onClick={() => accept.mutate({ dataset_id, revision, drafts: chosen.map(({ id }) => ({ id })) })}
          >
            {WORDS.accept(chosen.length)}
          </Button>
          <Button
            variant="default"
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
                onChange={({ currentTarget: { checked } }) => tick(draft.id, checked)}
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
    <div className={styles.draft}>
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
      <div className={styles.factTools}>
        <span className="dim">
          {[draftFacts(draft), WORDS.author(draft)].filter((part) => part !== null).join(' · ')}
        </span>
        <Button size="compact-xs" variant="default" aria-label={WORDS.editOf(id)} onClick={() => setEdited(true)}>
          {WORDS.edit}
        </Button>
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
  return (
    <form
      className={styles.draft}
      aria-label={WORDS.editOf(id)}
      onSubmit={(event) => {
        event.preventDefault()
        accept.mutate({ ...own, drafts: [{ id, question }] })
      }}
    >
      <Textarea
        label={WORDS.question}
        autosize
        maxLength={8000}
        data-autofocus
        value={question.query}
        onChange={({ currentTarget: { value } }) => set({ query: value })}
      />
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
      {accept.isError && <p role="alert">▲ {controlErrorOf(accept.error).message}</p>}
      <div className={styles.buttons}>
        <Button variant="default" onClick={onClose}>
          {WORDS.cancel}
        </Button>
        <Button type="submit" loading={accept.isPending} disabled={question.query.trim() === ''}>
          {WORDS.acceptEdited}
        </Button>
      </div>
    </form>
  )
}
