import { Button, Modal, TextInput } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { COMPONENT_WORDS } from './component-words.ts'
import { DialogForm } from './dialog-form.tsx'

const WORDS = COMPONENT_WORDS.confirmDialog

interface ConfirmDialogProps {
  opened: boolean
  title: string
  /** Names the confirmed action, as a verb with at most two words. */
  confirm: string
  /** Labels the button that closes the dialog without the action. */
  keep: string
  /** A word that must be typed before the action is possible; for what cannot be undone. */
  typed?: string | undefined
  loading?: boolean
  /** Nothing is chosen yet that could be confirmed. */
  held?: boolean
  /** Plain where nothing is lost. */
  tone?: 'danger' | 'plain'
  onClose: () => void
  onConfirm: () => void
  children: ReactNode
}

/** Asks before something is deleted, replaced or stopped, and shows what that is. */
export function ConfirmDialog(props: ConfirmDialogProps) {
  const { opened, title, confirm, keep, typed, loading = false, held = false, tone = 'danger' } = props
  const { onClose, onConfirm, children } = props
  const [word, setWord] = useState('')
  const isReady = !held && (typed === undefined || word.trim() === typed)
  const close = (): void => {
    setWord('')
    onClose()
  }
  return (
    <Modal opened={opened} onClose={close} title={title} centered size="lg">
      <DialogForm
        submit={confirm}
        cancel={keep}
        isDanger={tone === 'danger'}
        isCancelFirst={typed === undefined}
        isReady={isReady}
        isPending={loading}
        onCancel={close}
        onSubmit={() => {
          if (!isReady) return
          setWord('')
          onConfirm()
        }}
      >
        {children}
        {typed !== undefined && (
          <TextInput
            label={
              <>
                {WORDS.type}
                <code>{typed}</code>
                {WORDS.toConfirm}
              </>
            }
            autoComplete="off"
            value={word}
            onChange={({ currentTarget: { value } }) => setWord(value)}
          />
        )}
      </DialogForm>
    </Modal>
  )
}

interface ConfirmButtonProps extends Omit<ConfirmDialogProps, 'opened' | 'onClose' | 'onConfirm'> {
  label: string
  /** Replaces the label for a screen reader, where many rows have one. */
  name?: string
  disabled?: boolean
  /** The page has no other button that comes first. */
  isPrimary?: boolean
  /** Of the button: why it is disabled. */
  tooltip?: string | undefined
  /** Called with what closes the dialog. */
  onConfirm: (close: () => void) => void
}

/** A button that asks before it acts. */
export function ConfirmButton(props: ConfirmButtonProps) {
  const { label, name, disabled = false, isPrimary = false, tooltip, onConfirm, ...dialog } = props
  const [isOpen, setOpen] = useState(false)
  const close = (): void => setOpen(false)
  return (
    <>
      <Button
        variant={isPrimary ? 'filled' : 'default'}
        aria-label={name}
        disabled={disabled}
        title={tooltip}
        onClick={() => setOpen(true)}
      >
        {label}
      </Button>
      <ConfirmDialog {...dialog} opened={isOpen} onClose={close} onConfirm={() => onConfirm(close)} />
    </>
  )
}
