import { Button, type ButtonProps } from '@mantine/core'

interface RowButtonProps extends ButtonProps {
  label: string
  /** What it acts on: a screen reader says it after the label, so that the buttons of many rows differ. */
  of?: string
  /** Says both in other words. */
  name?: string
  onClick: () => void
}

/** A small button beside others of its kind. */
export function RowButton({
  label,
  of,
  name = of === undefined ? undefined : `${label} ${of}`,
  ...props
}: RowButtonProps) {
  return (
    <Button size="xs" variant="default" aria-label={name} {...props}>
      {label}
    </Button>
  )
}
