import { Button, Select, Switch, TagsInput, Textarea } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useNavigate, useRouter } from '@tanstack/react-router'
import { useState } from 'react'
import type { OwnDataset } from '../../../../contract/control/own-datasets.ts'
import { MAX_HOPS, type Question } from '../../../../contract/manifests/queries.ts'
import { DialogForm } from '../../../components/dialog-form.tsx'
import { formFields } from '../../../components/form-fields.ts'
import { notifyDone } from '../../../components/notify.ts'
import { RowButton } from '../../../components/row-button.tsx'
import { Panel } from '../../../components/states.tsx'
import { api } from '../../../data/client.ts'
import { useQuestionDrafts } from '../../../stores/question-drafts.ts'
import { GoldDocument } from './gold-document.tsx'
import styles from '../own-data.module.css'
import { OWN_WORDS } from '../own-words.ts'
import { draftOf, draftProblems, EMPTY_QUESTION, type GoldDraft, questionOf } from './question-draft.ts'
import { useDatasetRefresh } from '../use-own-dataset.ts'

const WORDS = OWN_WORDS.editor

const HOPS = Array.from({ length: MAX_HOPS }, (_, at) => at + 1)
/** More documents than a person would look through in a list that is not searched. */
const MOST_LISTED = 1000

interface QuestionEditorProps {
  own: OwnDataset
  /** Null for a new question. */
  edited: Question | null
}

/** A question on the left; beside it the document whose passages become its gold facts. */
export function QuestionEditor({ own, edited }: QuestionEditorProps) {
  const { dataset_id: dataset, revision } = own
  const navigate = useNavigate({ from: '/datasets' })
  const router = useRouter()
  const refresh = useDatasetRefresh()
  const key = `${dataset} ${edited?.id ?? ''}`
  const stored = edited === null ? EMPTY_QUESTION : draftOf(edited)
  const { drafts, setDraft } = useQuestionDrafts()
  const { draft, base } = drafts[key] ?? { draft: stored, base: stored }
  const set = (part: Partial<typeof draft>): void => setDraft(key, { draft: { ...draft, ...part }, base })
  const setGold = (number: number, part: Partial<GoldDraft>): void =>
    set({ gold: draft.gold.map((gold, index) => (index === number ? { ...gold, ...part } : gold)) })
  const documents =
    useQuery(
      api.datasets.documents.queryOptions({ input: { dataset_id: dataset, limit: MOST_LISTED } }),
    ).data?.documents.map(({ path }) => path) ?? []
  const [chosen, setChosen] = useState<string | null>(null)
  const shown = chosen ?? draft.gold[0]?.document ?? documents[0] ?? null
  const close = (): void => void navigate({ search: { dataset, view: 'questions' } })
  const save = useMutation(
    api.datasets.saveQuestion.mutationOptions({
      onSuccess: async ({ dataset: written, question_id: id }) => {
        setDraft(key, null)
        notifyDone(WORDS.saved(id))
        await refresh(written)
        // Whoever has gone on to another page meanwhile stays there.
        if (router.latestLocation.pathname === '/datasets') close()
      },
    }),
  )
  const { byField, rest } = draftProblems(save.error)
  const isReplaced = !save.isPending && JSON.stringify(base) !== JSON.stringify(stored)
  const field = formFields({ words: WORDS, draft, onChange: set, problems: byField })
  const title = edited === null ? WORDS.newQuestion : WORDS.editQuestion(edited.id)
  return (
    <div className={styles.editor}>
      <Panel title={title}>
        <DialogForm
          label={title}
          submit={WORDS.save}
          cancel={drafts[key] === undefined ? WORDS.close : WORDS.cancel}
          isReady={draft.query.trim() !== ''}
          isPending={save.isPending}
          onCancel={() => {
            setDraft(key, null)
            close()
          }}
          onSubmit={() => {
            const question = questionOf(draft, edited)
            save.mutate({
              dataset_id: dataset,
              revision,
              question: edited === null ? question : { ...question, id: edited.id },
            })
          }}
        >
          <Textarea {...field.text('query')} autosize minRows={2} maxRows={6} maxLength={8000} data-autofocus />
          <Textarea {...field.text('answer')} autosize minRows={2} maxRows={8} maxLength={16_000} />
          <Switch {...field.check('answerable')} />
          <fieldset className={styles.gold}>
            <legend>{WORDS.gold}</legend>
            <p className="dim">{documents.length === 0 ? WORDS.noDocuments : WORDS.goldAbout}</p>
            {draft.gold.length === 0 && draft.answerable && documents.length > 0 && <p>{WORDS.noGold}</p>}
            <ol className="stack">
              {draft.gold.map(({ document, fact }, index) => (
                // Facts have no name of their own, and their fields keep what is typed in the draft.
                <li key={index} className="stack tight">
                  <Textarea
                    label={WORDS.fact(index + 1)}
                    description={WORDS.factAbout}
                    autosize
                    maxRows={6}
                    value={fact}
                    error={byField[`gold ${index}`]}
                    onChange={({ currentTarget: { value } }) => setGold(index, { fact: value })}
                  />
                  <div className="row">
                    <Select
                      size="xs"
                      aria-label={WORDS.factDocument(index + 1)}
                      searchable
                      data={[...new Set([document, ...documents])]}
                      value={document}
                      onChange={(value) => value !== null && setGold(index, { document: value })}
                    />
                    <RowButton
                      size="compact-sm"
                      label={WORDS.show}
                      name={WORDS.showFact(index + 1)}
                      onClick={() => setChosen(document)}
                    />
                    <RowButton
                      size="compact-sm"
                      label={WORDS.remove}
                      name={WORDS.removeFact(index + 1)}
                      onClick={() => set({ gold: draft.gold.filter((_, each) => each !== index) })}
                    />
                  </div>
                </li>
              ))}
            </ol>
            <Button
              disabled={shown === null}
              onClick={() => shown !== null && set({ gold: [...draft.gold, { document: shown, fact: '' }] })}
            >
              {WORDS.addFact}
            </Button>
          </fieldset>
          <Select
            label={WORDS.hops}
            description={WORDS.hopsAbout}
            data={[{ value: '', label: WORDS.noHops }, ...HOPS.map((hops) => ({ value: `${hops}`, label: `${hops}` }))]}
            value={draft.hops === null ? '' : `${draft.hops}`}
            onChange={(value) => set({ hops: value === null || value === '' ? null : Number(value) })}
          />
          <TagsInput {...field.list('tags')} data={own.tags} />
          <Textarea {...field.text('keys')} autosize minRows={2} maxRows={8} />
          {isReplaced && (
            <div role="alert" className={styles.problem}>
              <p>▲ {WORDS.replaced}</p>
              <Button onClick={() => setDraft(key, null)}>{WORDS.loadReplaced}</Button>
            </div>
          )}
          {rest !== null && (
            <div role="alert" className={styles.problem}>
              <p>▲ {rest}</p>
              <p>{WORDS.changedElsewhere}</p>
              <Button onClick={() => void refresh().then(() => save.reset())}>{WORDS.reload}</Button>
            </div>
          )}
        </DialogForm>
      </Panel>
      {shown !== null && (
        <GoldDocument
          key={shown}
          dataset={dataset}
          documents={documents}
          path={shown}
          facts={draft.gold.flatMap(({ document, fact }) => (document === shown && fact !== '' ? [fact] : []))}
          onChoose={setChosen}
          onUse={(fact) => set({ gold: [...draft.gold, { document: shown, fact }] })}
        />
      )}
    </div>
  )
}
