import { Button, type ButtonProps } from '@mantine/core'
import { type ComponentPropsWithoutRef, type ReactNode, useId } from 'react'

interface Props extends Omit<ButtonProps, 'disabled'>, Omit<ComponentPropsWithoutRef<'button'>, keyof ButtonProps> {
  /** Why it cannot be pressed; null when it can. */
  why: ReactNode
}

/** A button with the reason beside it why it cannot be pressed, for rows. */
export function ButtonWithReason({ why, ...props }: Props) {
  const id = useId()
  const isHeld = why !== null
  return (
    <>
      <Button variant="filled" {...props} disabled={isHeld} aria-describedby={isHeld ? id : undefined} />
      {isHeld && (
        <span id={id} className="dim">
          {why}
        </span>
      )}
    </>
  )
}
