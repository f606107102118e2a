import { Button, Group } from '@mantine/core'
import { notifications } from '@mantine/notifications'

/** Reports what was removed, with a button that brings it back. */
export function notifyUndo(message: string, label: string, undo: () => void): void {
  const id = notifications.show({
    autoClose: 12_000,
    message: (
      <Group gap={12} wrap="nowrap" justify="space-between">
        <span>{message}</span>
        <Button
          size="compact-sm"
          onClick={() => {
            notifications.hide(id)
            undo()
          }}
        >
          {label}
        </Button>
      </Group>
    ),
  })
}
