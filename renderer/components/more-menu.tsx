import { ActionIcon, Menu } from '@mantine/core'
import { Icon } from './icon.tsx'

interface MoreMenuProps {
  /** A screen reader calls it by this name. */
  name: string
  /** Lists actions by their labels; false leaves one out. */
  items: readonly (false | readonly [label: string, act: () => void])[]
  isPending?: boolean
}

/** A button that opens the less usual actions of a row; nothing without one. */
export function MoreMenu({ name, items, isPending }: MoreMenuProps) {
  const shown = items.filter((item) => item !== false)
  if (shown.length === 0) return null
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon variant="default" aria-label={name} loading={isPending}>
          <Icon name="more" />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {shown.map(([label, act]) => (
          <Menu.Item key={label} onClick={act}>
            {label}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  )
}
