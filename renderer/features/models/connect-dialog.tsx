import { Button, Checkbox, Modal, NumberInput, PasswordInput, Select, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import {
  CONNECTION_KINDS,
  ConnectionKind,
  connectionKind,
  usualTimeoutS,
} from '../../../contract/manifests/model-connections.ts'
import type { ModelsView } from '../../../contract/control/models.ts'
import { Form } from '../../components/dialog-form.tsx'
import { formFields } from '../../components/form-fields.ts'
import { notifyDone } from '../../components/notify.ts'
import { ErrorPanel } from '../../components/states.tsx'
import { api } from '../../data/client.ts'
import { problemsOf } from '../../data/refused.ts'
import { useModelTests } from '../../stores/model-tests.ts'
import {
  cloudAt,
  connectionOfDraft,
  draftOfKind,
  foundModels,
  nameOfDraft,
  testOfDraft,
  textOrNull,
  type ConnectionDraft,
  type DraftKind,
} from './connection-draft.ts'
import styles from './models.module.css'
import { MODELS_WORDS } from './models-words.ts'
import type { Choice } from './set-draft.ts'
import { TestResult } from './test-result.tsx'
import { MODELS_CHANGE } from './use-models.ts'

const WORDS = MODELS_WORDS.connect

const KINDS: { value: DraftKind; label: string }[] = [
  ...ConnectionKind.options.map((value) => ({ value, label: CONNECTION_KINDS[value].label })),
  { value: 'gguf', label: WORDS.ggufFile },
]

/** Fields that show what is wrong at a path of the input. */
const FIELDS: Readonly<Record<string, keyof ConnectionDraft>> = {
  name: 'name',
  key: 'secret',
  'connection.base_url': 'address',
  'connection.api_key_env': 'key',
}

interface ConnectDialogProps {
  /** Fills the dialog at first. */
  start: ConnectionDraft
  connections: ModelsView['connections']
  onClose: () => void
  /** Models to make a set of, once their connection is saved. */
  onConnected: (text: Choice, embedding: Choice | null) => void
}

/** Connects a service, which is tested before it is saved, or chooses a file; edits a saved connection. */
export function ConnectDialog({ start, connections, onClose, onConnected }: ConnectDialogProps) {
  const [draft, setDraft] = useState(start)
  // The dialog ends with its page's state: the focus returns to what opened it.
  const [opener] = useState(() => document.activeElement)
  useEffect(
    () => () => {
      if (opener instanceof HTMLElement) opener.focus()
    },
    [opener],
  )
  const set = (part: Partial<ConnectionDraft>): void => setDraft({ ...draft, ...part })
  const { kind, edited } = draft
  const isFile = kind === 'gguf'
  const name = nameOfDraft(
    draft,
    connections.map((each) => each.name),
  )
  const [tested, setTested] = useState({ name: '', input: '' })
  const test = useMutation(api.models.test.mutationOptions())
  const tests = useModelTests()
  const add = useMutation(api.models.add.mutationOptions({ meta: MODELS_CHANGE }))
  const input = testOfDraft(draft)
  // What is shown of a test counts for the fields as they were then.
  const result = tested.input === JSON.stringify(input) ? test.data : undefined
  const runTest = () => {
    setTested({ name: isFile ? draft.path.trim() : name, input: JSON.stringify(input) })
    return test.mutateAsync(input)
  }
  const save = (found = result): void => {
    if (isFile) return
    const secret = textOrNull(draft.secret)
    const connection = connectionOfDraft({ ...draft, kind })
    add.mutate(
      { name, connection, ...(secret === null ? {} : { key: secret }) },
      {
        onSuccess: () => {
          if (found !== undefined) tests.keep(name, found)
          else tests.forget(name)
          notifyDone(edited === null ? WORDS.added(name) : WORDS.changed(name))
          onClose()
          if (edited !== null) return
          const { text, embedding } = foundModels(`connection:${name}`, draft, found)
          onConnected(text, embedding)
        },
      },
    )
  }
  const submit = async (): Promise<void> => {
    if (isFile) {
      onClose()
      onConnected({ source: 'gguf', model: draft.path.trim() }, null)
    } else if (edited !== null || result !== undefined) save()
    else {
      const found = await runTest().catch(() => null)
      if (found?.works === true) save(found)
    }
  }
  const { byField, rest } = problemsOf(add.error, (path) => FIELDS[path])
  const field = formFields({ words: WORDS, draft: { ...draft, name }, onChange: set, problems: byField })
  const cannotTest = isFile ? draft.path.trim() === '' : draft.address.trim() === ''
  const title = edited === null ? WORDS.title : WORDS.editing(edited.name)
  const isAnyway = edited === null && result !== undefined && !result.works
  const submitWords = isFile ? WORDS.chooseFile : edited !== null ? WORDS.save : isAnyway ? WORDS.anyway : WORDS.connect
  return (
    <Modal opened onClose={onClose} title={title} size="xl">
      <Form label={title} className={`stack ${styles.dialog}`} onSubmit={() => void submit()}>
        <div className="fields">
          <Select
            label={WORDS.kind}
            data={KINDS}
            value={kind}
            disabled={edited !== null}
            comboboxProps={{ withinPortal: false }}
            onChange={(value) => value !== null && setDraft(draftOfKind(value))}
          />
          {isFile ? (
            <TextInput {...field.text('path')} description={undefined} data-autofocus />
          ) : (
            <>
              <TextInput
                {...field.text('address')}
                data-autofocus
                onChange={({ currentTarget: { value } }) => set({ address: value, cloud: cloudAt(kind, value) })}
              />
              <PasswordInput
                {...field.text('secret')}
                description={undefined}
                placeholder={edited?.key === 'stored' && edited.key_set ? WORDS.secretStored : WORDS.secretAbout}
                autoComplete="off"
              />
              <TextInput {...field.text('name')} readOnly={edited !== null} />
            </>
          )}
        </div>
        <p className="dim">{isFile ? WORDS.pathAbout : (connectionKind(kind).quirk ?? WORDS.about)}</p>
        {!isFile && (
          <>
            <Checkbox {...field.check('cloud')} />
            <details open={edited !== null}>
              <summary>{WORDS.more}</summary>
              <div className="fields">
                <TextInput {...field.text('key')} />
                <TextInput {...field.text('model')} />
                <TextInput {...field.text('embeddingModel')} />
                <NumberInput {...field.number('concurrency')} min={1} max={64} allowDecimal={false} />
                <NumberInput
                  {...field.number('timeout')}
                  description={WORDS.timeoutAbout(usualTimeoutS(draft.cloud))}
                  min={1}
                  max={3600}
                />
              </div>
            </details>
          </>
        )}
        <div className="row">
          <Button
            variant="filled"
            type="submit"
            loading={add.isPending || (test.isPending && edited === null && !isFile)}
            disabled={cannotTest || (!isFile && name === '')}
          >
            {submitWords}
          </Button>
          <Button loading={test.isPending} disabled={cannotTest} onClick={() => void runTest().catch(() => undefined)}>
            {WORDS.test}
          </Button>
          {rest !== null && <span role="alert">▲ {rest}</span>}
        </div>
      </Form>
      {test.isError && <ErrorPanel error={test.error} what={MODELS_WORDS.test.theTest} />}
      {test.data !== undefined && <TestResult name={tested.name} result={test.data} />}
    </Modal>
  )
}
