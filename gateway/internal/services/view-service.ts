import { viewLists } from '../../../store/ledger/views.js'
import type { AdminLedger } from '../../../store/ledger.js'
import { ViewService } from '../../gen/loyalty/v1/view_service_pb.js'
import type { Commands } from '../../use-cases/commands.js'
import { callerOf } from '../access.js'
import { sendCommand } from '../messages/commands.js'
import { FieldChecks } from '../messages/fields.js'
import { routeOf } from '../messages/message.js'
import { isText } from './proposals.js'

const nameCharactersMax = 80
const queryForm = /^\?[\x21-\x7e]{1,2000}$/
/** Views stay when a member is forgotten: they may not filter by one. */
const memberFilters = ['memberId', 'loyaltyId', 'who', 'subject']

interface Parts {
  readonly adminLedger: Pick<AdminLedger, 'views'>
  readonly commands: Commands
}

export function viewRoutes({ adminLedger: { views }, commands }: Parts) {
  const checksOf = (list: string) =>
    new FieldChecks().expect(
      'list',
      (viewLists as readonly string[]).includes(list),
      `one of ${viewLists.join()}`,
      list,
    )
  return routeOf(ViewService, {
    async listViews({ list }, context) {
      checksOf(list).done()
      return { views: await views.list(list, callerOf(context).name) }
    },

    async storeView(request, context) {
      const { requestId, list, name, query, shared } = request
      const expected = `1 to ${nameCharactersMax} characters, no control characters`
      checksOf(list)
        .uuid('request_id', requestId)
        .expect('name', isText(name, 1, nameCharactersMax), expected, name)
        .expect('query', queryForm.test(query), 'the query of an address, at most 2000 characters', query)
        .expect('query', !memberFilters.some((name) => new URLSearchParams(query).has(name)), 'no member', query)
        .done()
      await sendCommand(commands.storeView, [{ list, name, query, shared }], { request, context })
      return {}
    },

    async deleteView(request, context) {
      const { requestId, viewId } = request
      new FieldChecks().uuid('request_id', requestId).uuid('view_id', viewId).done()
      const isAdmin = callerOf(context).role === 'admin'
      await sendCommand(commands.deleteView, [viewId, isAdmin], { request, context })
      return {}
    },
  })
}
