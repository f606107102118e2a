import { Button, Checkbox, Modal, Radio, Select, Stack, Textarea, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { OWN_PRESETS } from '../../../../contract/manifests/own-presets.ts'
import { DialogForm } from '../../../components/dialog-form.tsx'
import { formFields } from '../../../components/form-fields.ts'
import { notifyDone } from '../../../components/notify.ts'
import { api } from '../../../data/client.ts'
import { problemsOf } from '../../../data/refused.ts'
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

/** Paths of the file, and the field of the form that shows what is wrong there. */
const FIELDS: Readonly<Record<string, keyof OwnForm>> = {
  name: 'name',
  url: 'url',
  body: 'body',
  headers: 'header',
  command: 'command',
  'reply.answer': 'answer',
  'reply.contexts': 'list',
  'reply.contexts.list': 'list',
  'reply.contexts.text': 'text',
}

interface OwnFormDialogProps {
  onClose: () => void
  onSaved: (name: string) => void
}

/** Asks for an approach of the person's own, tests it, and writes its file. */
export function OwnFormDialog({ onClose, onSaved }: OwnFormDialogProps) {
  const [form, setForm] = useState(EMPTY_FORM)
  const [question, setQuestion] = useState('')
  const [wrong, setWrong] = useState<FormProblem | null>(null)
  const test = useMutation(api.approaches.test.mutationOptions())
  const save = useMutation(
    api.approaches.save.mutationOptions({
      meta: { refreshes: [api.approaches.key(), api.experiment.key()] },
      onSuccess: (_, { name }) => {
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
  const { byField, rest } = problemsOf(
    save.error ?? test.error,
    (path) => FIELDS[path] ?? (path.startsWith('settings.') ? path : undefined),
  )
  const field = formFields({
    words: WORDS,
    draft: form,
    onChange: set,
    problems: wrong === null ? byField : { ...byField, [wrong.field]: wrong.message },
  })
  const onUse = (use: PathUse, path: string): void => {
    if (use === 'answer') set({ answer: path })
    else if (use === 'text') set(passagePath(path))
    else set({ document: pathWithin(form.list, path) ?? path })
  }
  /** No word of these is one of a language. */
  const code = { autoComplete: 'off', spellCheck: false }
  const isMapped = kind !== 'command' && preset === null
  const mapped = !isMapped
    ? []
    : ([...(kind === 'chat' ? ['answer'] : []), 'list', ...(form.list === '' ? [] : ['text', 'document'])] as (
        | 'answer'
        | 'list'
        | 'text'
        | 'document'
      )[])
  return (
    <Modal opened onClose={onClose} title={WORDS.title} centered size="xl">
      <DialogForm
        label={WORDS.title}
        submit={WORDS.save}
        isReady={form.name.trim() !== ''}
        isPending={save.isPending}
        problem={rest}
        onCancel={onClose}
        onSubmit={() => withApproach(form, (approach) => save.mutate({ name: form.name.trim(), approach }))}
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
            <Textarea {...field.text('command')} {...code} autosize minRows={2} />
            <Checkbox size="sm" {...field.check('ingests')} />
            <Checkbox size="sm" {...field.check('reportsPassages')} />
          </>
        ) : (
          <div className="fields">
            <Select
              label={WORDS.preset}
              description={preset === null ? WORDS.presetAbout : OWN_PRESETS[preset].about}
              placeholder={WORDS.noPreset}
              data={presetsOf(kind)}
              clearable
              value={preset}
              onChange={(value) => set({ preset: value, body: value === null ? EMPTY_FORM.body : '' })}
            />
            <TextInput
              {...field.text('url')}
              {...code}
              description={preset === null ? WORDS.urlOfService : WORDS.urlOfServer}
            />
            {openSettings(preset).map((name) => (
              <TextInput
                key={name}
                label={name}
                value={form.settings[name] ?? ''}
                error={byField[`settings.${name}`]}
                onChange={({ currentTarget: { value } }) => set({ settings: { ...form.settings, [name]: value } })}
              />
            ))}
            <TextInput {...field.text('header')} {...code} />
            <Textarea {...field.text('body')} {...code} className={styles.wide} autosize minRows={2} />
            {mapped.map((name) => (
              <TextInput key={name} {...field.text(name)} {...code} description={WORDS.pathsAbout} />
            ))}
          </div>
        )}
        <div className={styles.testRow}>
          <TextInput
            label={WORDS.question}
            placeholder={WORDS.questionPlaceholder}
            value={question}
            onChange={({ currentTarget: { value } }) => setQuestion(value)}
          />
          <Button loading={test.isPending} onClick={ask}>
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
        <TextInput {...field.text('name')} autoComplete="off" />
        <p className="dim">{WORDS.trust}</p>
      </DialogForm>
    </Modal>
  )
}
