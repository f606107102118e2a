import { Modal, PasswordInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import type { ConnectionView } from '../../../contract/control/models.ts'
import { connectionKey } from '../../../contract/manifests/model-connections.ts'
import { ConfirmDialog } from '../../components/confirm-dialog.tsx'
import { DialogForm } from '../../components/dialog-form.tsx'
import { api } from '../../data/client.ts'
import { useModelTests } from '../../stores/model-tests.ts'
import { problemsOf } from '../../data/refused.ts'
import { MODELS_WORDS } from './models-words.ts'
import { MODELS_CHANGE } from './use-models.ts'

const WORDS = MODELS_WORDS.keys

interface KeyDialogProps {
  connection: ConnectionView
  onClose: () => void
}

/** Asks for the key of a connection. The key goes to the engine and never comes back. */
export function EnterKey({ connection: { name, address }, onClose }: KeyDialogProps) {
  const [key, setKey] = useState('')
  const store = useMutation(
    api.models.setKey.mutationOptions({
      meta: { ...MODELS_CHANGE, done: WORDS.isStored(name) },
      onSuccess: () => {
        useModelTests.getState().forget(name)
        onClose()
      },
    }),
  )
  const { byField, rest } = problemsOf(store.error, ['key'])
  return (
    <Modal opened onClose={onClose} title={WORDS.title(name)} centered size="lg">
      <DialogForm
        label={WORDS.title(name)}
        submit={WORDS.store}
        isReady={key.trim() !== ''}
        isPending={store.isPending}
        problem={rest}
        onCancel={onClose}
        onSubmit={() => store.mutate({ name, key: key.trim() })}
      >
        <p>{WORDS.fate(address)}</p>
        <PasswordInput
          label={WORDS.key}
          value={key}
          error={byField['key']}
          autoComplete="off"
          data-autofocus
          onChange={({ currentTarget: { value } }) => setKey(value)}
        />
      </DialogForm>
    </Modal>
  )
}

/** Asks before a stored key is deleted. */
export function RemoveKey({ connection: { name, declared }, onClose }: KeyDialogProps) {
  const remove = useMutation(
    api.models.setKey.mutationOptions({
      meta: { ...MODELS_CHANGE, failed: WORDS.removing, done: WORDS.isRemoved(name) },
      onSuccess: () => {
        useModelTests.getState().forget(name)
        onClose()
      },
    }),
  )
  const variable = connectionKey(declared)
  return (
    <ConfirmDialog
      opened
      title={WORDS.question(name)}
      confirm={WORDS.removeButton}
      keep={WORDS.keep}
      loading={remove.isPending}
      onClose={onClose}
      onConfirm={() => remove.mutate({ name, key: null })}
    >
      <p>{WORDS.lost}</p>
      <p>{variable === null ? WORDS.thenNone : WORDS.thenVariable(variable)}</p>
    </ConfirmDialog>
  )
}
