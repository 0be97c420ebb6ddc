import type { SavedView, SavedViews, ViewReply } from '../../ledger/views.js'
import { change } from '../connection/changes.js'
import { adminChanges, type Sql, sql } from '../connection/sql.js'

export function createSavedViews(database: Sql): SavedViews {
  return {
    async list(list, actor) {
      return await database.run<SavedView>(
        sql`
          select v.view_id as "viewId", v.list, v.name, v.query, v.is_shared as shared, v.stored_by as "storedBy",
            milliseconds(v.stored_at) as "storedAt"
          from saved_view v
          where v.list = ${list} and (v.is_shared or is_same_actor(v.stored_by, ${actor}))
          order by v.name, v.view_id`,
        adminChanges,
      )
    },
    async store(command, { list, name, query, shared }, max) {
      const view = [list, name, query, shared, max]
      return await change<ViewReply<'too_many_views'>>(database, command, 'change_view', view)
    },
    async remove(command, viewId, isAdmin) {
      return await change<ViewReply<'unknown_view'>>(database, command, 'change_view_deletion', [viewId, isAdmin])
    },
  }
}
