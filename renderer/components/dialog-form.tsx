import { Button, type ButtonProps, Modal, type ModalProps } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { controlErrorOf } from '../../contract/control/control-error.ts'
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
  /** Holds a refusal that belongs to no field: its words, or the error. */
  problem?: string | Error | null
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
    <Form label={label} className="stack" onSubmit={onSubmit}>
      {children}
      <ProblemLine problem={problem} />
      <div className="buttons">
        {others}
        <Button data-autofocus={isCancelFirst || undefined} onClick={onCancel}>
          {cancel}
        </Button>
        {submit !== null && (
          <Button
            variant="filled"
            type="submit"
            color={isDanger ? 'red' : undefined}
            loading={isPending}
            disabled={!isReady}
          >
            {submit}
          </Button>
        )}
      </div>
    </Form>
  )
}

interface FormProps {
  /** A screen reader calls it by this name. */
  label?: string | undefined
  className?: string | undefined
  onSubmit: () => void
  children: ReactNode
}

/** Fields that Enter submits; the page stays. */
export const Form = ({ label, className, onSubmit, children }: FormProps) => (
  <form
    aria-label={label}
    className={className}
    onSubmit={(event) => {
      event.preventDefault()
      onSubmit()
    }}
  >
    {children}
  </form>
)

/** Reads aloud at once what went wrong; nothing while all is well. */
export function ProblemLine({ problem }: { problem: string | Error | null | undefined }) {
  if (problem === null || problem === undefined) return null
  return <p role="alert">▲ {typeof problem === 'string' ? problem : controlErrorOf(problem).message}</p>
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
      <Button {...button} onClick={() => setOpen(true)}>
        {label}
      </Button>
      <Modal opened={isOpen} onClose={close} title={title} size={width} centered>
        {children(close)}
      </Modal>
    </>
  )
}

interface FormButtonProps {
  words: { open: string; title: string; confirm: string; cancel?: string }
  action: { isPending: boolean; error: Error | null }
  isReady?: boolean
  /** Called with what closes the dialog. */
  onSubmit: (close: () => void) => void
  children: ReactNode
}

/** A button that asks for something in a dialog before its action. */
export const FormButton = ({ words, action, isReady = true, onSubmit, children }: FormButtonProps) => (
  <DialogButton label={words.open} title={words.title} width="md">
    {(close) => (
      <DialogForm
        submit={words.confirm}
        cancel={words.cancel}
        isReady={isReady}
        isPending={action.isPending}
        problem={action.error}
        onCancel={close}
        onSubmit={() => onSubmit(close)}
      >
        {children}
      </DialogForm>
    )}
  </DialogButton>
)
