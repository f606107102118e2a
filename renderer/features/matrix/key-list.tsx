import { Button, Kbd, Popover } from '@mantine/core'
import { MATRIX_KEYS } from './use-matrix-keys.ts'
import styles from './matrix.module.css'

/** The grid's keys, on demand. */
export function KeyList() {
  return (
    <Popover position="top-end" width={380} trapFocus>
      <Popover.Target>
        <Button variant="default" size="compact-xs">
          Keys
        </Button>
      </Popover.Target>
      <Popover.Dropdown>
        <dl className={styles.keys}>
          {MATRIX_KEYS.map(([key, what]) => (
            <div key={key}>
              <dt>
                <Kbd size="xs">{key}</Kbd>
              </dt>
              <dd>{what}</dd>
            </div>
          ))}
        </dl>
      </Popover.Dropdown>
    </Popover>
  )
}
