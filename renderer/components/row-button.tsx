import { Button, type ButtonProps } from '@mantine/core'

interface RowButtonProps extends ButtonProps {
  label: string
  /** Names its object, which screen readers add to the label, so that the buttons of many rows differ. */
  of?: string
  /** Says both in other words. */
  name?: string
  'aria-expanded'?: boolean
  onClick: () => void
}

/** A small button beside others of its kind. */
export function RowButton({ label, of, name, ...props }: RowButtonProps) {
  const said = of === undefined ? undefined : `${label.replace(/…$/, '')} ${of}`
  return (
    <Button aria-label={name ?? said} {...props}>
      {label}
    </Button>
  )
}
