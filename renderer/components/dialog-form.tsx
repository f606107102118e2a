import { Button, type ButtonProps, Modal, type ModalProps } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { COMPONENT_WORDS } from './component-words.ts'

interface DialogFormProps {
  /** A screen reader calls it by this name; the title of its dialog otherwise. */
  label?: string
  /** Label of the button that submits it; null while there is nothing to submit. */
  submit: string | null
  cancel?: string | undefined
  isReady?: boolean
  isPending?: boolean
  /** Of an action that deletes or replaces. */
  isDanger?: boolean
  /** The focus begins at the button that changes nothing. */
  isCancelFirst?: boolean
  /** What was refused and belongs to no field. */
  problem?: string | null
  /** Buttons before those that end the form. */
  others?: ReactNode
  onCancel: () => void
  onSubmit: () => void
  children: ReactNode
}

/** Fields, below them what was refused, and the two buttons that end the form. */
export function DialogForm(props: DialogFormProps) {
  const { label, submit, cancel = COMPONENT_WORDS.cancel, isReady = true, isPending = false, problem, others } = props
  const { isDanger = false, isCancelFirst, onCancel, onSubmit, children } = props
  return (
    <form
      aria-label={label}
      className="stack"
      onSubmit={(event) => {
        event.preventDefault()
        onSubmit()
      }}
    >
      {children}
      <ProblemLine problem={problem} />
      <div className="buttons">
        {others}
        <Button variant="default" data-autofocus={isCancelFirst || undefined} onClick={onCancel}>
          {cancel}
        </Button>
        {submit !== null && (
          <Button type="submit" color={isDanger ? 'red' : undefined} loading={isPending} disabled={!isReady}>
            {submit}
          </Button>
        )}
      </div>
    </form>
  )
}

/** What went wrong, read aloud at once; nothing while all is well. */
export function ProblemLine({ problem }: { problem: string | null | undefined }) {
  return typeof problem === 'string' && <p role="alert">▲ {problem}</p>
}

interface DialogButtonProps extends Omit<ButtonProps, 'children'> {
  label: string
  title: string
  /** Of the dialog. */
  width?: ModalProps['size']
  children: (close: () => void) => ReactNode
}

/** A button that opens a dialog; what is in the dialog can close it. */
export function DialogButton({ label, title, width = 'lg', children, ...button }: DialogButtonProps) {
  const [isOpen, setOpen] = useState(false)
  const close = (): void => setOpen(false)
  return (
    <>
      <Button variant="default" {...button} onClick={() => setOpen(true)}>
        {label}
      </Button>
      <Modal opened={isOpen} onClose={close} title={title} size={width} centered>
        {children(close)}
      </Modal>
    </>
  )
}
