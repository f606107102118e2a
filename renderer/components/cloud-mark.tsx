import { useQuery } from '@tanstack/react-query'
import { CLOUD_MARK, cloudWords } from '../../core/evidence/cloud-use.ts'
import type { ModelSetView } from '../../contract/control/experiment.ts'
import { api } from '../data/client.ts'
import { COMPONENT_WORDS } from './component-words.ts'
import { roleWords } from '../../core/role-words.ts'
import styles from './cloud-mark.module.css'

/** Names of the roles whose calls leave this machine. */
export const cloudRoles = ({ roles }: Pick<ModelSetView, 'roles'>): string[] =>
  Object.entries(roles)
    .filter(([, { cloud }]) => cloud)
    .map(([role]) => roleWords(role))

/** The mark of a set with roles that leave this machine; nothing for others. */
export function CloudMark({ set }: { set: Pick<ModelSetView, 'roles'> | undefined }) {
  const roles = set === undefined ? [] : cloudRoles(set)
  if (roles.length === 0) return null
  const all = roles.length === Object.keys(set!.roles).length
  return <span className={styles.mark}>{COMPONENT_WORDS.cloudMark(all ? [] : roles)}</span>
}

/** Approaches of a run whose answers called a model that leaves this machine; empty until that is known. */
const useCloudApproaches = (run: string): readonly string[] =>
  useQuery(api.compare.result.queryOptions({ input: { run_id: run } })).data?.cloud ?? []

/** The mark of an approach of a run, or without `alias` of the run, where calls left this machine; nothing for others. */
export function RunCloudMark({ run, alias }: { run: string; alias?: string }) {
  const models = useCloudApproaches(run).filter((model) => alias === undefined || model === alias)
  if (models.length === 0) return null
  return (
    <span className={styles.mark} title={cloudWords(models) ?? undefined}>
      {CLOUD_MARK}
    </span>
  )
}
