import { Button, Checkbox, NumberInput, PasswordInput, Select, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import {
  CONNECTION_KINDS,
  connectionKey,
  ConnectionKind,
  connectionKind,
  isNearAddress,
  usualTimeoutS,
  type Connection,
} from '../../../contract/manifests/model-connections.ts'
import type { ConnectionView, TestModelInput } from '../../../contract/control/models.ts'
import { notifyDone } from '../../components/notify.ts'
import { ErrorPanel, Panel } from '../../components/states.tsx'
import { api } from '../../data/client.ts'
import { problemsOf } from '../documents/use-sending.ts'
import styles from './models.module.css'
import { MODELS_WORDS } from './models-words.ts'
import type { Choice } from './set-draft.ts'
import { TestResult } from './test-result.tsx'
import { useModelsChange } from './use-models.ts'

const WORDS = MODELS_WORDS.add

type Kind = ConnectionKind | 'gguf'

export interface ConnectionDraft {
  kind: Kind
  name: string
  address: string
  /** Variable with the key. */
  key: string
  /** The key itself, as it is being entered. */
  secret: string
  /** Empty where nothing is set. */
  concurrency: number | ''
  timeout: number | ''
  cloud: boolean
  model: string
  embeddingModel: string
  path: string
  /** The saved connection that is being edited. */
  edited: ConnectionView | null
}

const KINDS: { value: Kind; label: string }[] = [
  ...ConnectionKind.options.map((value) => ({ value, label: CONNECTION_KINDS[value].label })),
  { value: 'gguf', label: WORDS.ggufFile },
]

const EMPTY = {
  secret: '',
  concurrency: '',
  timeout: '',
  model: '',
  embeddingModel: '',
  path: '',
  edited: null,
} as const

/** A draft of a kind with its usual name, address and key. */
export function draftOfKind(kind: Kind): ConnectionDraft {
  if (kind === 'gguf') return { ...EMPTY, kind, name: '', address: '', key: '', cloud: false }
  const { usualAddress, usualKey, isCloud } = connectionKind(kind)
  return {
    ...EMPTY,
    kind,
    name: kind === 'compatible' ? '' : kind,
    address: usualAddress ?? '',
    key: usualKey ?? '',
    cloud: isCloud,
  }
}

/** A draft of a saved connection. */
export function draftOfConnection(view: ConnectionView): ConnectionDraft {
  const { name, kind, address, cloud, declared } = view
  return {
    ...EMPTY,
    kind,
    name,
    address,
    key: connectionKey(declared) ?? '',
    concurrency: declared.concurrency ?? '',
    timeout: declared.timeout_s ?? '',
    cloud,
    edited: view,
  }
}

const textOrNull = (text: string): string | null => (text.trim() === '' ? null : text.trim())

/** The connection of a draft; what is usual for its kind is left out. */
function connectionOfDraft({ kind, edited, ...draft }: ConnectionDraft & { kind: ConnectionKind }): Connection {
  const { usualAddress, usualKey, isCloud } = connectionKind(kind)
  const [address, variable] = [draft.address.trim(), textOrNull(draft.key)]
  return {
    kind,
    ...(address === '' || address === usualAddress ? {} : { base_url: address }),
    ...(variable === usualKey ? {} : { api_key_env: variable }),
    ...(edited?.key === 'stored' ? { api_key: 'stored' as const } : {}),
    ...(draft.timeout === '' ? {} : { timeout_s: draft.timeout }),
    ...(draft.concurrency === '' ? {} : { concurrency: draft.concurrency }),
    ...(draft.cloud === isCloud ? {} : { cloud: draft.cloud }),
  }
}

/** Returns true when calls to an address are taken as paid ones: as usual for the kind, or for a service that is on no network of the person's. */
const cloudAt = (kind: ConnectionKind, address: string): boolean =>
  connectionKind(kind).isCloud || !isNearAddress(address.trim())

interface AddConnectionProps {
  draft: ConnectionDraft
  onDraft: (draft: ConnectionDraft) => void
  /** A model to make a set of, once its connection is there. */
  onChoose: (choice: Choice) => void
}

/** Connects a service or a file: its kind, its usual address, a test before it is kept. */
export function AddConnection({ draft, onDraft, onChoose }: AddConnectionProps) {
  const [tested, setTested] = useState('')
  const test = useMutation(api.models.test.mutationOptions())
  const add = useMutation(
    api.models.add.mutationOptions({
      ...useModelsChange(),
      onSuccess: () => {
        if (draft.edited !== null) {
          notifyDone(WORDS.changed(draft.name))
          onDraft(draftOfKind(draft.kind))
          test.reset()
          return
        }
        notifyDone(WORDS.added(draft.name))
        set({ secret: '' })
        onChoose({ source: `connection:${draft.name}`, model: draft.model.trim() || test.data?.models[0] || '' })
        test.reset()
      },
    }),
  )
  const { kind, edited } = draft
  const isFile = kind === 'gguf'
  const secret = textOrNull(draft.secret)
  const set = (part: Partial<ConnectionDraft>): void => onDraft({ ...draft, ...part })
  const target: TestModelInput['target'] = isFile
    ? { file: draft.path.trim() }
    : {
        connection: connectionOfDraft({ ...draft, kind }),
        ...(edited === null ? {} : { name: edited.name }),
        ...(secret === null ? {} : { key: secret }),
      }
  const runTest = (): void => {
    setTested(isFile ? draft.path.trim() : draft.name || CONNECTION_KINDS[kind].label)
    test.mutate({ target, model: textOrNull(draft.model), embedding_model: textOrNull(draft.embeddingModel) })
  }
  const { byField, rest } = problemsOf(add.error, ['name', 'key', 'connection.base_url', 'connection.api_key_env'])
  const cannotTest = isFile ? draft.path.trim() === '' : draft.address.trim() === ''
  const quirk = isFile ? undefined : connectionKind(kind).quirk
  const title = edited === null ? WORDS.title : WORDS.editing(edited.name)
  return (
    <Panel title={title}>
      <form
        aria-label={title}
        onSubmit={(event) => {
          event.preventDefault()
          if (isFile) onChoose({ source: 'gguf', model: draft.path.trim() })
          else
            add.mutate({
              name: draft.name.trim(),
              connection: connectionOfDraft({ ...draft, kind }),
              ...(secret === null ? {} : { key: secret }),
            })
        }}
      >
        <div className={styles.fields}>
          <Select
            label={WORDS.kind}
            description={quirk}
            data={KINDS}
            value={kind}
            allowDeselect={false}
            disabled={edited !== null}
            onChange={(value) => value !== null && onDraft(draftOfKind(value))}
          />
          {isFile ? (
            <TextInput
              label={WORDS.path}
              description={WORDS.pathAbout}
              placeholder={WORDS.pathExample}
              value={draft.path}
              onChange={({ currentTarget: { value } }) => set({ path: value })}
            />
          ) : (
            <>
              <TextInput
                label={WORDS.name}
                description={WORDS.nameAbout}
                value={draft.name}
                readOnly={edited !== null}
                error={byField['name']}
                onChange={({ currentTarget: { value } }) => set({ name: value })}
              />
              <TextInput
                label={WORDS.address}
                description={WORDS.addressAbout}
                value={draft.address}
                error={byField['connection.base_url']}
                onChange={({ currentTarget: { value } }) => set({ address: value, cloud: cloudAt(kind, value) })}
              />
              <PasswordInput
                label={WORDS.secret}
                description={edited?.key === 'stored' && edited.key_set ? WORDS.secretStored : WORDS.secretAbout}
                value={draft.secret}
                error={byField['key']}
                autoComplete="off"
                onChange={({ currentTarget: { value } }) => set({ secret: value })}
              />
              <TextInput
                label={WORDS.key}
                description={WORDS.keyAbout}
                value={draft.key}
                error={byField['connection.api_key_env']}
                onChange={({ currentTarget: { value } }) => set({ key: value })}
              />
              <TextInput
                label={WORDS.model}
                description={WORDS.modelAbout}
                value={draft.model}
                onChange={({ currentTarget: { value } }) => set({ model: value })}
              />
              <TextInput
                label={WORDS.embeddingModel}
                description={WORDS.modelAbout}
                value={draft.embeddingModel}
                onChange={({ currentTarget: { value } }) => set({ embeddingModel: value })}
              />
              <NumberInput
                label={WORDS.concurrency}
                description={WORDS.concurrencyAbout}
                min={1}
                max={64}
                allowDecimal={false}
                value={draft.concurrency}
                onChange={(value) => set({ concurrency: typeof value === 'number' ? value : '' })}
              />
              <NumberInput
                label={WORDS.timeout}
                description={WORDS.timeoutAbout(usualTimeoutS(draft.cloud))}
                min={1}
                max={3600}
                value={draft.timeout}
                onChange={(value) => set({ timeout: typeof value === 'number' ? value : '' })}
              />
              <Checkbox
                label={WORDS.cloud}
                checked={draft.cloud}
                onChange={({ currentTarget: { checked } }) => set({ cloud: checked })}
              />
            </>
          )}
        </div>
        <div className={styles.actions}>
          <Button variant="default" loading={test.isPending} disabled={cannotTest} onClick={runTest}>
            {WORDS.test}
          </Button>
          <Button type="submit" loading={add.isPending} disabled={cannotTest || (!isFile && draft.name.trim() === '')}>
            {isFile ? WORDS.chooseFile : edited === null ? WORDS.add : WORDS.save}
          </Button>
          {edited !== null && (
            <Button variant="default" onClick={() => onDraft(draftOfKind(kind))}>
              {WORDS.stopEditing}
            </Button>
          )}
          {rest !== null && <span role="alert">▲ {rest}</span>}
        </div>
      </form>
      {test.isError && <ErrorPanel error={test.error} what={MODELS_WORDS.test.theTest} />}
      {test.data !== undefined && <TestResult name={tested} result={test.data} />}
    </Panel>
  )
}
