import { Button, Checkbox, Modal, Radio, Select, Stack, Textarea, TextInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { OWN_PRESETS } from '../../../../contract/manifests/own-presets.ts'
import { notifyDone } from '../../../components/notify.ts'
import { api } from '../../../data/client.ts'
import { problemsOf } from '../../documents/use-sending.ts'
import styles from '../new-run.module.css'
import { OWN_APPROACH_WORDS } from './own-approach-words.ts'
import {
  approachOf,
  EMPTY_FORM,
  FormProblem,
  openSettings,
  type OwnForm,
  type OwnKind,
  passagePath,
  pathWithin,
  presetsOf,
  testable,
} from './own-draft.ts'
import { OwnTrialView, type PathUse } from './own-trial.tsx'

const WORDS = OWN_APPROACH_WORDS.form

/** Fields of the file, and the field of the form that shows what is wrong with one. */
const FIELDS = {
  name: 'name',
  url: 'url',
  body: 'body',
  headers: 'header',
  command: 'command',
  'reply.answer': 'answer',
  'reply.contexts': 'list',
  'reply.contexts.list': 'list',
  'reply.contexts.text': 'text',
} as const satisfies Record<string, keyof OwnForm>

interface OwnFormDialogProps {
  onClose: () => void
  onSaved: (name: string) => void
}

/** Asks for an approach of the person's own, tests it, and writes its file. */
export function OwnFormDialog({ onClose, onSaved }: OwnFormDialogProps) {
  const [form, setForm] = useState(EMPTY_FORM)
  const [question, setQuestion] = useState('')
  const [wrong, setWrong] = useState<FormProblem | null>(null)
  const client = useQueryClient()
  const test = useMutation(api.approaches.test.mutationOptions())
  const save = useMutation(
    api.approaches.save.mutationOptions({
      onSuccess: async (_, { name }) => {
        await client.invalidateQueries({ queryKey: api.approaches.key() })
        await client.invalidateQueries({ queryKey: api.experiment.key() })
        notifyDone(WORDS.saved(name))
        onSaved(name)
      },
    }),
  )
  const { kind, preset } = form
  const set = (part: Partial<OwnForm>): void => setForm({ ...form, ...part })
  const withApproach = (of: OwnForm, act: (approach: ReturnType<typeof approachOf>) => void): void => {
    setWrong(null)
    try {
      act(approachOf(of))
    } catch (error) {
      if (!(error instanceof FormProblem)) throw error
      setWrong(error)
    }
  }
  const ask = (): void =>
    withApproach(testable(form), (approach) => {
      save.reset()
      test.mutate({ target: { approach }, question: question.trim() === '' ? null : question.trim() })
    })
  const { byField, rest } = problemsOf(save.error ?? test.error, Object.keys(FIELDS))
  const errorOf = (field: keyof OwnForm): string | undefined =>
    wrong?.field === field
      ? wrong.message
      : Object.entries(FIELDS).flatMap(([path, shownBy]) =>
          shownBy === field && byField[path] !== undefined ? [byField[path]] : [],
        )[0]
  const onUse = (use: PathUse, path: string): void => {
    if (use === 'answer') set({ answer: path })
    else if (use === 'text') set(passagePath(path))
    else set({ document: pathWithin(form.list, path) ?? path })
  }
  const field = (name: 'url' | 'header' | 'answer' | 'list' | 'text' | 'document', about: string) => (
    <TextInput
      label={WORDS[name]}
      description={about}
      autoComplete="off"
      spellCheck={false}
      value={form[name]}
      error={errorOf(name)}
      onChange={({ currentTarget: { value } }) => set({ [name]: value })}
    />
  )
  const isMapped = kind !== 'command' && preset === null
  return (
    <Modal opened onClose={onClose} title={WORDS.title} centered size="xl">
      <form
        aria-label={WORDS.title}
        className={styles.flavorForm}
        onSubmit={(event) => {
          event.preventDefault()
          withApproach(form, (approach) => save.mutate({ name: form.name.trim(), approach }))
        }}
      >
        <Radio.Group
          label={WORDS.kind}
          value={kind}
          onChange={(value) => set({ kind: value, preset: null, body: EMPTY_FORM.body })}
        >
          <Stack gap={8} mt={8}>
            {(Object.keys(WORDS.kinds) as OwnKind[]).map((each) => (
              <Radio key={each} value={each} label={WORDS.kinds[each]} />
            ))}
          </Stack>
        </Radio.Group>
        {kind === 'command' ? (
          <>
            <Textarea
              label={WORDS.command}
              description={WORDS.commandAbout}
              placeholder={WORDS.commandExample}
              autosize
              minRows={2}
              spellCheck={false}
              value={form.command}
              error={errorOf('command')}
              onChange={({ currentTarget: { value } }) => set({ command: value })}
            />
            <Checkbox
              size="sm"
              label={WORDS.ingests}
              checked={form.ingests}
              onChange={({ currentTarget }) => set({ ingests: currentTarget.checked })}
            />
            <Checkbox
              size="sm"
              label={WORDS.reportsPassages}
              checked={form.reportsPassages}
              onChange={({ currentTarget }) => set({ reportsPassages: currentTarget.checked })}
            />
          </>
        ) : (
          <div className={styles.flavorFields}>
            <Select
              label={WORDS.preset}
              description={preset === null ? WORDS.presetAbout : OWN_PRESETS[preset].about}
              placeholder={WORDS.noPreset}
              data={presetsOf(kind)}
              clearable
              value={preset}
              onChange={(value) => set({ preset: value, body: value === null ? EMPTY_FORM.body : '' })}
            />
            {field('url', preset === null ? WORDS.urlAbout.whole : WORDS.urlAbout.preset)}
            {openSettings(preset).map((name) => (
              <TextInput
                key={name}
                label={name}
                value={form.settings[name] ?? ''}
                error={byField[`settings.${name}`]}
                onChange={({ currentTarget: { value } }) => set({ settings: { ...form.settings, [name]: value } })}
              />
            ))}
            {field('header', WORDS.headerAbout)}
            <Textarea
              className={styles.wide}
              label={WORDS.body}
              description={WORDS.bodyAbout}
              autosize
              minRows={2}
              spellCheck={false}
              value={form.body}
              error={errorOf('body')}
              onChange={({ currentTarget: { value } }) => set({ body: value })}
            />
            {isMapped && kind === 'chat' && field('answer', WORDS.pathsAbout)}
            {isMapped && field('list', WORDS.pathsAbout)}
            {isMapped && form.list !== '' && field('text', WORDS.pathsAbout)}
            {isMapped && form.list !== '' && field('document', WORDS.pathsAbout)}
          </div>
        )}
        <div className={styles.testRow}>
          <TextInput
            label={WORDS.question}
            placeholder={WORDS.questionPlaceholder}
            value={question}
            onChange={({ currentTarget: { value } }) => setQuestion(value)}
          />
          <Button variant="default" loading={test.isPending} onClick={ask}>
            {WORDS.test}
          </Button>
        </div>
        {test.data !== undefined && (
          <OwnTrialView
            trial={test.data}
            uses={isMapped ? (kind === 'chat' ? ['answer', 'text', 'document'] : ['text', 'document']) : []}
            onUse={onUse}
          />
        )}
        <TextInput
          label={WORDS.name}
          description={WORDS.nameAbout}
          autoComplete="off"
          value={form.name}
          error={errorOf('name')}
          onChange={({ currentTarget: { value } }) => set({ name: value })}
        />
        {rest !== null && <p role="alert">▲ {rest}</p>}
        <p className="dim">{WORDS.trust}</p>
        <div className={styles.flavorButtons}>
          <Button variant="default" onClick={onClose}>
            {WORDS.cancel}
          </Button>
          <Button type="submit" disabled={form.name.trim() === ''} loading={save.isPending}>
            {WORDS.save}
          </Button>
        </div>
      </form>
    </Modal>
  )
}
