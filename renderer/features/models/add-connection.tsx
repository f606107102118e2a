import { Button, Select, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { CONNECTION_KINDS, ConnectionKind, connectionKind } from '../../../contract/manifests/model-connections.ts'
import type { TestModelInput } from '../../../contract/control/models.ts'
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
  key: string
  model: string
  embeddingModel: string
  path: string
}

const KINDS: { value: Kind; label: string }[] = [
  ...ConnectionKind.options.map((value) => ({ value, label: CONNECTION_KINDS[value].label })),
  { value: 'gguf', label: WORDS.ggufFile },
]

/** A draft of a kind with its usual name, address and key. */
export function draftOfKind(kind: Kind): ConnectionDraft {
  const fields = { model: '', embeddingModel: '', path: '' }
  if (kind === 'gguf') return { kind, name: '', address: '', key: '', ...fields }
  const { usualAddress, usualKey } = connectionKind(kind)
  return {
    kind,
    name: kind === 'compatible' ? '' : kind,
    address: usualAddress ?? '',
    key: usualKey ?? '',
    ...fields,
  }
}

const textOrNull = (text: string): string | null => (text.trim() === '' ? null : text.trim())

/** The connection of a draft; what is usual for its kind is left out. */
function connectionOf({ kind, address, key }: ConnectionDraft & { kind: ConnectionKind }) {
  const { usualAddress, usualKey } = connectionKind(kind)
  return {
    kind,
    ...(address.trim() === '' || address.trim() === usualAddress ? {} : { base_url: address.trim() }),
    ...(textOrNull(key) === usualKey ? {} : { api_key_env: textOrNull(key) }),
  }
}

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
        notifyDone(WORDS.added(draft.name))
        onChoose({ source: `connection:${draft.name}`, model: draft.model.trim() || test.data?.models[0] || '' })
      },
    }),
  )
  const { kind } = draft
  const isFile = kind === 'gguf'
  const set = (part: Partial<ConnectionDraft>): void => onDraft({ ...draft, ...part })
  const target: TestModelInput['target'] = isFile
    ? { file: draft.path.trim() }
    : { connection: connectionOf({ ...draft, kind }) }
  const runTest = (): void => {
    setTested(isFile ? draft.path.trim() : draft.name || CONNECTION_KINDS[kind].label)
    test.mutate({ target, model: textOrNull(draft.model), embedding_model: textOrNull(draft.embeddingModel) })
  }
  const { byField, rest } = problemsOf(add.error, ['name', 'connection.base_url', 'connection.api_key_env'])
  const cannotTest = isFile ? draft.path.trim() === '' : draft.address.trim() === ''
  const quirk = isFile ? undefined : connectionKind(kind).quirk
  return (
    <Panel title={WORDS.title}>
      <form
        aria-label={WORDS.title}
        onSubmit={(event) => {
          event.preventDefault()
          if (isFile) onChoose({ source: 'gguf', model: draft.path.trim() })
          else add.mutate({ name: draft.name.trim(), connection: connectionOf({ ...draft, kind }) })
        }}
      >
        <div className={styles.fields}>
          <Select
            label={WORDS.kind}
            description={quirk}
            data={KINDS}
            value={kind}
            allowDeselect={false}
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
                error={byField['name']}
                onChange={({ currentTarget: { value } }) => set({ name: value })}
              />
              <TextInput
                label={WORDS.address}
                description={WORDS.addressAbout}
                value={draft.address}
                error={byField['connection.base_url']}
                onChange={({ currentTarget: { value } }) => set({ address: value })}
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
            </>
          )}
        </div>
        <div className={styles.actions}>
          <Button variant="default" loading={test.isPending} disabled={cannotTest} onClick={runTest}>
            {WORDS.test}
          </Button>
          <Button type="submit" loading={add.isPending} disabled={cannotTest || (!isFile && draft.name.trim() === '')}>
            {isFile ? WORDS.chooseFile : WORDS.add}
          </Button>
          {rest !== null && <span role="alert">▲ {rest}</span>}
        </div>
      </form>
      {test.isError && <ErrorPanel error={test.error} what={MODELS_WORDS.test.theTest} />}
      {test.data !== undefined && <TestResult name={tested} result={test.data} />}
    </Panel>
  )
}
