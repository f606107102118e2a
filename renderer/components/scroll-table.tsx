import type { ReactNode } from 'react'
import styles from './table.module.css'

/** A table that scrolls sideways where the page is too narrow for it, by keyboard too. `label` names it. */
export function ScrollTable({
  label,
  className,
  children,
}: {
  label: string
  className?: string
  children: ReactNode
}) {
  return (
    <div className={`${styles.scroll} ${className ?? ''}`} tabIndex={0} role="region" aria-label={label}>
      <table className={styles.table}>{children}</table>
    </div>
  )
}
