import type { ModelSetView } from '../../contract/control/experiment.ts'
import { COMPONENT_WORDS } from './component-words.ts'
import styles from './cloud-mark.module.css'

/** Names of the roles whose calls leave this machine. */
export const cloudRoles = ({ roles }: Pick<ModelSetView, 'roles'>): string[] =>
  Object.entries(roles)
    .filter(([, { cloud }]) => cloud)
    .map(([role]) => role.replaceAll('_', ' '))

/** The mark of a set with roles that leave this machine; nothing for others. */
export function CloudMark({ set }: { set: Pick<ModelSetView, 'roles'> | undefined }) {
  const roles = set === undefined ? [] : cloudRoles(set)
  if (roles.length === 0) return null
  const all = roles.length === Object.keys(set!.roles).length
  return <span className={styles.mark}>{COMPONENT_WORDS.cloudMark(all ? [] : roles)}</span>
}
