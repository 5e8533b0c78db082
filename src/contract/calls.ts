// The calls of the contract by their names, made by `npm run generate` and verified in CI. Nothing here loads zod.

import type { FieldNeeds, Role } from '#domain/account/role.ts';

export interface Calls {
  readonly acceptInvitation: typeof import('./account/invitations.ts').acceptInvitation;
  readonly addClosingDay: typeof import('./senders/sending-rules-closing-days.ts').addClosingDay;
  readonly addCustomField: typeof import('./companies/own-fields.ts').addCustomField;
  readonly addMailTemplate: typeof import('./templates/mail-templates-list.ts').addMailTemplate;
  readonly addMailbox: typeof import('./senders/mailboxes.ts').addMailbox;
  readonly addPresetDays: typeof import('./senders/sending-rules-closing-days.ts').addPresetDays;
  readonly addReply: typeof import('./answers/replies.ts').addReply;
  readonly addSampleCompanies: typeof import('./companies/companies-bulk.ts').addSampleCompanies;
  readonly addSavedCondition: typeof import('./companies/saved-conditions.ts').addSavedCondition;
  readonly addSender: typeof import('./senders/senders.ts').addSender;
  readonly addSenderGroup: typeof import('./senders/sender-groups.ts').addSenderGroup;
  readonly addSuppressions: typeof import('./answers/suppressions.ts').addSuppressions;
  readonly addTag: typeof import('./companies/tags.ts').addTag;
  readonly addTemplateFolder: typeof import('./templates/mail-templates-list.ts').addTemplateFolder;
  readonly archiveMailTemplate: typeof import('./templates/mail-templates-list.ts').archiveMailTemplate;
  readonly archiveProspect: typeof import('./companies/companies.ts').archiveProspect;
  readonly authorizeMailbox: typeof import('./senders/oauth-apps.ts').authorizeMailbox;
  readonly authorizedMailbox: typeof import('./senders/oauth-apps.ts').authorizedMailbox;
  readonly cancelJob: typeof import('./account/jobs.ts').cancelJob;
  readonly changePassword: typeof import('./account/auth.ts').changePassword;
  readonly changeProspects: typeof import('./companies/companies-bulk.ts').changeProspects;
  readonly checkDomainHealth: typeof import('./senders/domain-health.ts').checkDomainHealth;
  readonly checkImport: typeof import('./imports/imports-steps.ts').checkImport;
  readonly checkInvitation: typeof import('./account/invitations.ts').checkInvitation;
  readonly checkLegal: typeof import('./senders/legal-profile.ts').checkLegal;
  readonly checkMailbox: typeof import('./senders/mailboxes.ts').checkMailbox;
  readonly checkMails: typeof import('./sending/mail-preview.ts').checkMails;
  readonly checkOidc: typeof import('./account/oidc.ts').checkOidc;
  readonly checkPerson: typeof import('./companies/people.ts').checkPerson;
  readonly checkProspect: typeof import('./companies/companies-bulk.ts').checkProspect;
  readonly checkSetup: typeof import('./account/setup.ts').checkSetup;
  readonly confirmEmail: typeof import('./account/email-change.ts').confirmEmail;
  readonly confirmSendGridFooter: typeof import('./templates/mail-templates.ts').confirmSendGridFooter;
  readonly confirmSenderAddress: typeof import('./senders/sender-addresses.ts').confirmSenderAddress;
  readonly confirmTwoFactor: typeof import('./account/two-factor.ts').confirmTwoFactor;
  readonly countIndustries: typeof import('./companies/prospects.ts').countIndustries;
  readonly countSavedConditions: typeof import('./companies/saved-conditions.ts').countSavedConditions;
  readonly countUnreadNotices: typeof import('./notices/notices.ts').countUnreadNotices;
  readonly createPerson: typeof import('./companies/people.ts').createPerson;
  readonly createProspect: typeof import('./companies/companies.ts').createProspect;
  readonly decideRestored: typeof import('./sending/restored.ts').decideRestored;
  readonly decideUnknown: typeof import('./sending/runs-changes.ts').decideUnknown;
  readonly deleteExport: typeof import('./companies/exports.ts').deleteExport;
  readonly deleteImportFile: typeof import('./imports/imports-steps.ts').deleteImportFile;
  readonly discardImport: typeof import('./imports/imports-steps.ts').discardImport;
  readonly endOtherSessions: typeof import('./account/sessions.ts').endOtherSessions;
  readonly endSession: typeof import('./account/sessions.ts').endSession;
  readonly endTwoFactor: typeof import('./account/two-factor.ts').endTwoFactor;
  readonly erasePersonalData: typeof import('./companies/personal-data.ts').erasePersonalData;
  readonly findPeople: typeof import('./companies/people.ts').findPeople;
  readonly finishOidc: typeof import('./account/oidc.ts').finishOidc;
  readonly followJob: typeof import('./account/jobs.ts').followJob;
  readonly followSendLogs: typeof import('./sending/send-logs.ts').followSendLogs;
  readonly getAccount: typeof import('./account/account.ts').getAccount;
  readonly getAccountRule: typeof import('./senders/sending-rules.ts').getAccountRule;
  readonly getDelivery: typeof import('./sending/send-logs.ts').getDelivery;
  readonly getExportFile: typeof import('./companies/exports.ts').getExportFile;
  readonly getFirstSteps: typeof import('./account/first-steps.ts').getFirstSteps;
  readonly getImport: typeof import('./imports/imports.ts').getImport;
  readonly getImportFaults: typeof import('./imports/imports-review.ts').getImportFaults;
  readonly getInbox: typeof import('./answers/inbox.ts').getInbox;
  readonly getJob: typeof import('./account/jobs.ts').getJob;
  readonly getMailTemplate: typeof import('./templates/mail-templates.ts').getMailTemplate;
  readonly getNoticeSettings: typeof import('./notices/notices.ts').getNoticeSettings;
  readonly getOAuthApp: typeof import('./senders/oauth-apps.ts').getOAuthApp;
  readonly getOidc: typeof import('./account/oidc.ts').getOidc;
  readonly getProspect: typeof import('./companies/companies.ts').getProspect;
  readonly getReservation: typeof import('./sending/reservations-page.ts').getReservation;
  readonly getRestored: typeof import('./sending/restored.ts').getRestored;
  readonly getSendLog: typeof import('./sending/runs.ts').getSendLog;
  readonly getSender: typeof import('./senders/senders.ts').getSender;
  readonly getSenderLimit: typeof import('./senders/sending-rules.ts').getSenderLimit;
  readonly getSendingRules: typeof import('./senders/sending-rules-hours.ts').getSendingRules;
  readonly getTemplateVersion: typeof import('./templates/mail-templates.ts').getTemplateVersion;
  readonly importClosingDays: typeof import('./senders/sending-rules-closing-days.ts').importClosingDays;
  readonly importSuppressions: typeof import('./answers/suppressions.ts').importSuppressions;
  readonly invite: typeof import('./account/invitations.ts').invite;
  readonly issueTicket: typeof import('./account/email-change.ts').issueTicket;
  readonly liftSuppression: typeof import('./answers/suppressions.ts').liftSuppression;
  readonly listActiveProspects: typeof import('./companies/prospects.ts').listActiveProspects;
  readonly listClosingDays: typeof import('./senders/sending-rules-closing-days.ts').listClosingDays;
  readonly listCustomFields: typeof import('./companies/own-fields.ts').listCustomFields;
  readonly listDomainHealth: typeof import('./senders/domain-health.ts').listDomainHealth;
  readonly listExports: typeof import('./companies/exports.ts').listExports;
  readonly listFollowUpRuns: typeof import('./companies/attack-list.ts').listFollowUpRuns;
  readonly listImportChanges: typeof import('./imports/imports-review.ts').listImportChanges;
  readonly listImportLines: typeof import('./imports/imports-review.ts').listImportLines;
  readonly listImports: typeof import('./imports/imports-review.ts').listImports;
  readonly listInvitations: typeof import('./account/invitations.ts').listInvitations;
  readonly listLegalProfiles: typeof import('./senders/legal-profile.ts').listLegalProfiles;
  readonly listMailTemplates: typeof import('./templates/mail-templates-list.ts').listMailTemplates;
  readonly listMailboxes: typeof import('./senders/mailboxes.ts').listMailboxes;
  readonly listMembers: typeof import('./account/members.ts').listMembers;
  readonly listNotices: typeof import('./notices/notices.ts').listNotices;
  readonly listProspects: typeof import('./companies/prospects.ts').listProspects;
  readonly listReservations: typeof import('./sending/reservations.ts').listReservations;
  readonly listSavedConditions: typeof import('./companies/saved-conditions.ts').listSavedConditions;
  readonly listSendLogs: typeof import('./sending/send-logs.ts').listSendLogs;
  readonly listSenderGroups: typeof import('./senders/sender-groups.ts').listSenderGroups;
  readonly listSenderProfiles: typeof import('./senders/sender-profiles.ts').listSenderProfiles;
  readonly listSenders: typeof import('./senders/senders.ts').listSenders;
  readonly listSessions: typeof import('./account/sessions.ts').listSessions;
  readonly listTags: typeof import('./companies/tags.ts').listTags;
  readonly listTemplateFolders: typeof import('./templates/mail-templates-list.ts').listTemplateFolders;
  readonly listTemplateSamples: typeof import('./templates/mail-templates-list.ts').listTemplateSamples;
  readonly listTemplateVersions: typeof import('./templates/mail-templates.ts').listTemplateVersions;
  readonly login: typeof import('./account/auth.ts').login;
  readonly logout: typeof import('./account/auth.ts').logout;
  readonly lookAtImport: typeof import('./imports/imports-steps.ts').lookAtImport;
  readonly moveMailTemplate: typeof import('./templates/mail-templates-list.ts').moveMailTemplate;
  readonly previewAttackList: typeof import('./companies/attack-list.ts').previewAttackList;
  readonly previewMail: typeof import('./sending/mail-preview.ts').previewMail;
  readonly previewMailTemplate: typeof import('./templates/mail-templates.ts').previewMailTemplate;
  readonly readNotices: typeof import('./notices/notices.ts').readNotices;
  readonly recordSendLog: typeof import('./sending/send-logs.ts').recordSendLog;
  readonly removeSampleCompanies: typeof import('./companies/companies-bulk.ts').removeSampleCompanies;
  readonly removeTemplateFolder: typeof import('./templates/mail-templates-list.ts').removeTemplateFolder;
  readonly renewRecoveryCodes: typeof import('./account/two-factor.ts').renewRecoveryCodes;
  readonly requestPasswordReset: typeof import('./account/password-reset.ts').requestPasswordReset;
  readonly reserve: typeof import('./sending/reservations.ts').reserve;
  readonly resetPassword: typeof import('./account/password-reset.ts').resetPassword;
  readonly restoreMailTemplate: typeof import('./templates/mail-templates-list.ts').restoreMailTemplate;
  readonly restoreProspect: typeof import('./companies/companies.ts').restoreProspect;
  readonly restoreTemplateVersion: typeof import('./templates/mail-templates.ts').restoreTemplateVersion;
  readonly retryDelivery: typeof import('./sending/runs-changes.ts').retryDelivery;
  readonly retryFailures: typeof import('./sending/runs-changes.ts').retryFailures;
  readonly runImport: typeof import('./imports/imports-steps.ts').runImport;
  readonly saveActiveProspect: typeof import('./companies/prospects.ts').saveActiveProspect;
  readonly sendConfirmation: typeof import('./account/email-change.ts').sendConfirmation;
  readonly sendInvitation: typeof import('./account/invitations.ts').sendInvitation;
  readonly sendMail: typeof import('./sending/runs.ts').sendMail;
  readonly sendMemberPasswordReset: typeof import('./account/members.ts').sendMemberPasswordReset;
  readonly sendReservationNow: typeof import('./sending/reservations-changes.ts').sendReservationNow;
  readonly sendSenderConfirmation: typeof import('./senders/sender-addresses.ts').sendSenderConfirmation;
  readonly sendTemplateTest: typeof import('./templates/mail-templates.ts').sendTemplateTest;
  readonly setUp: typeof import('./account/setup.ts').setUp;
  readonly startExport: typeof import('./companies/exports.ts').startExport;
  readonly startImport: typeof import('./imports/imports.ts').startImport;
  readonly startOidc: typeof import('./account/oidc.ts').startOidc;
  readonly startTwoFactor: typeof import('./account/two-factor.ts').startTwoFactor;
  readonly steerRun: typeof import('./sending/runs-changes.ts').steerRun;
  readonly takeSendGridEvents: typeof import('./answers/sendgrid-events.ts').takeSendGridEvents;
  readonly testDomainHealth: typeof import('./senders/domain-health.ts').testDomainHealth;
  readonly undoImport: typeof import('./imports/imports-steps.ts').undoImport;
  readonly updateAccount: typeof import('./account/account.ts').updateAccount;
  readonly updateAccountRule: typeof import('./senders/sending-rules.ts').updateAccountRule;
  readonly updateClosingDay: typeof import('./senders/sending-rules-closing-days.ts').updateClosingDay;
  readonly updateCustomField: typeof import('./companies/own-fields.ts').updateCustomField;
  readonly updateFirstSteps: typeof import('./account/first-steps.ts').updateFirstSteps;
  readonly updateInvitation: typeof import('./account/invitations.ts').updateInvitation;
  readonly updateLegalProfile: typeof import('./senders/legal-profile.ts').updateLegalProfile;
  readonly updateMailRetention: typeof import('./sending/retention.ts').updateMailRetention;
  readonly updateMailTemplate: typeof import('./templates/mail-templates.ts').updateMailTemplate;
  readonly updateMailbox: typeof import('./senders/mailboxes.ts').updateMailbox;
  readonly updateMember: typeof import('./account/members.ts').updateMember;
  readonly updateNotice: typeof import('./notices/notices.ts').updateNotice;
  readonly updateNoticeSettings: typeof import('./notices/notices.ts').updateNoticeSettings;
  readonly updateOAuthApp: typeof import('./senders/oauth-apps.ts').updateOAuthApp;
  readonly updateOidc: typeof import('./account/oidc.ts').updateOidc;
  readonly updatePerson: typeof import('./companies/people.ts').updatePerson;
  readonly updateProspect: typeof import('./companies/companies.ts').updateProspect;
  readonly updateReply: typeof import('./answers/replies.ts').updateReply;
  readonly updateReservation: typeof import('./sending/reservations-changes.ts').updateReservation;
  readonly updateSavedCondition: typeof import('./companies/saved-conditions.ts').updateSavedCondition;
  readonly updateSender: typeof import('./senders/senders.ts').updateSender;
  readonly updateSenderGroup: typeof import('./senders/sender-groups.ts').updateSenderGroup;
  readonly updateSenderLimit: typeof import('./senders/sending-rules.ts').updateSenderLimit;
  readonly updateSenderProfile: typeof import('./senders/sender-profiles.ts').updateSenderProfile;
  readonly updateSendingRules: typeof import('./senders/sending-rules-hours.ts').updateSendingRules;
  readonly updateTag: typeof import('./companies/tags.ts').updateTag;
  readonly updateTemplateFolder: typeof import('./templates/mail-templates-list.ts').updateTemplateFolder;
  readonly uploadImport: typeof import('./imports/imports.ts').uploadImport;
  readonly viewAudit: typeof import('./account/audit.ts').viewAudit;
  readonly viewDeliveries: typeof import('./sending/send-logs.ts').viewDeliveries;
  readonly viewLeftOut: typeof import('./companies/attack-list.ts').viewLeftOut;
  readonly viewMailRetention: typeof import('./sending/retention.ts').viewMailRetention;
  readonly viewPersonalData: typeof import('./companies/personal-data.ts').viewPersonalData;
  readonly viewProspects: typeof import('./companies/prospects.ts').viewProspects;
  readonly viewReplies: typeof import('./answers/replies.ts').viewReplies;
  readonly viewReport: typeof import('./sending/reports.ts').viewReport;
  readonly viewReservationCalendar: typeof import('./sending/reservations-page.ts').viewReservationCalendar;
  readonly viewReservationTargets: typeof import('./sending/reservations-page.ts').viewReservationTargets;
  readonly viewReservations: typeof import('./sending/reservations-page.ts').viewReservations;
  readonly viewRunOrigin: typeof import('./sending/send-logs.ts').viewRunOrigin;
  readonly viewRunResults: typeof import('./sending/reports.ts').viewRunResults;
  readonly viewSendLogs: typeof import('./sending/send-logs.ts').viewSendLogs;
  readonly viewSuppressions: typeof import('./answers/suppressions.ts').viewSuppressions;
  readonly viewTimeline: typeof import('./companies/companies.ts').viewTimeline;
}

export const CALLS = {
  acceptInvitation: ['POST', '/invitation/accept'],
  addClosingDay: ['POST', '/closing_day', 'admin'],
  addCustomField: ['POST', '/custom_field', 'admin'],
  addMailTemplate: ['POST', '/mail_template'],
  addMailbox: ['POST', '/mailbox', 'sales', { 'add_info.is_shared': 'admin' }],
  addPresetDays: ['POST', '/closing_day/preset', 'admin'],
  addReply: ['POST', '/reply'],
  addSampleCompanies: ['POST', '/prospect/samples'],
  addSavedCondition: ['POST', '/saved_condition'],
  addSender: ['POST', '/sender', 'admin'],
  addSenderGroup: ['POST', '/sender_group', 'admin'],
  addSuppressions: ['POST', '/suppression'],
  addTag: ['POST', '/tag'],
  addTemplateFolder: ['POST', '/mail_template_folder'],
  archiveMailTemplate: ['POST', '/mail_template/:id/archive'],
  archiveProspect: ['POST', '/prospect/:id/archive'],
  authorizeMailbox: ['POST', '/mailbox/:id/authorize'],
  authorizedMailbox: ['POST', '/mailbox/authorized'],
  cancelJob: ['POST', '/job/:id/cancel'],
  changePassword: ['PUT', '/auth/password/:account_id', 'viewer'],
  changeProspects: ['POST', '/prospect/bulk'],
  checkDomainHealth: ['POST', '/domain_health/check'],
  checkImport: ['POST', '/import/:id/check'],
  checkInvitation: ['POST', '/invitation/check'],
  checkLegal: ['GET', '/legal_check/:sender_id'],
  checkMailbox: ['POST', '/mailbox/:id/check'],
  checkMails: ['POST', '/mail/check/:sender_id', 'viewer'],
  checkOidc: ['POST', '/auth/oidc/check'],
  checkPerson: ['GET', '/person/check'],
  checkProspect: ['GET', '/prospect/check'],
  checkSetup: ['POST', '/setup/check'],
  confirmEmail: ['POST', '/auth/confirmation_token/:id/confirm', 'viewer'],
  confirmSendGridFooter: ['PUT', '/mail_template/:id/sendgrid_footer'],
  confirmSenderAddress: ['POST', '/sender_confirmation'],
  confirmTwoFactor: ['POST', '/auth/two_factor/confirm', 'viewer'],
  countIndustries: ['GET', '/prospect/industries'],
  countSavedConditions: ['GET', '/saved_condition/count'],
  countUnreadNotices: ['GET', '/notice/unread'],
  createPerson: ['POST', '/person'],
  createProspect: ['POST', '/prospect'],
  decideRestored: ['POST', '/restored', 'admin'],
  decideUnknown: ['PUT', '/delivery/:id'],
  deleteExport: ['POST', '/export/:id/delete'],
  deleteImportFile: ['POST', '/import/:id/file/delete'],
  discardImport: ['POST', '/import/:id/discard'],
  endOtherSessions: ['POST', '/session/end_others', 'viewer'],
  endSession: ['PUT', '/session/:id', 'viewer'],
  endTwoFactor: ['POST', '/auth/two_factor/off', 'viewer'],
  erasePersonalData: ['POST', '/personal_data/erase', 'admin'],
  findPeople: ['GET', '/person/find'],
  finishOidc: ['POST', '/auth/oidc/finish'],
  followJob: ['GET', '/job/:id/events'],
  followSendLogs: ['GET', '/send_log/events'],
  getAccount: ['GET', '/account/:id'],
  getAccountRule: ['GET', '/account_rule'],
  getDelivery: ['GET', '/delivery/:id'],
  getExportFile: ['GET', '/export/:id/file', 'sales'],
  getFirstSteps: ['GET', '/first_steps'],
  getImport: ['GET', '/import/:id'],
  getImportFaults: ['GET', '/import/:id/faults', 'sales'],
  getInbox: ['GET', '/inbox'],
  getJob: ['GET', '/job/:id'],
  getMailTemplate: ['GET', '/mail_template/:id'],
  getNoticeSettings: ['GET', '/notice_setting'],
  getOAuthApp: ['GET', '/oauth_app/:provider', 'admin'],
  getOidc: ['GET', '/oidc', 'admin'],
  getProspect: ['GET', '/prospect/:id'],
  getReservation: ['GET', '/reservation/:id'],
  getRestored: ['GET', '/restored'],
  getSendLog: ['GET', '/send_log/:id'],
  getSender: ['GET', '/sender/:id'],
  getSenderLimit: ['GET', '/sender_limit/:profile_id'],
  getSendingRules: ['GET', '/sending_rules/:sender_group_id'],
  getTemplateVersion: ['GET', '/mail_template/:id/version/:number'],
  importClosingDays: ['POST', '/closing_day/import', 'admin'],
  importSuppressions: ['POST', '/suppression/import'],
  invite: ['POST', '/invitation', 'admin'],
  issueTicket: ['PUT', '/auth/confirmation_token/:id', 'viewer'],
  liftSuppression: ['PUT', '/suppression/:id', 'admin'],
  listActiveProspects: ['GET', '/active_prospect/list'],
  listClosingDays: ['GET', '/closing_day/list'],
  listCustomFields: ['GET', '/custom_field/list'],
  listDomainHealth: ['GET', '/domain_health/list'],
  listExports: ['GET', '/export/list'],
  listFollowUpRuns: ['GET', '/attack_list/follow_up_runs'],
  listImportChanges: ['GET', '/import/:id/change/list'],
  listImportLines: ['GET', '/import/:id/line/list'],
  listImports: ['GET', '/import/list'],
  listInvitations: ['GET', '/invitation/list', 'admin'],
  listLegalProfiles: ['GET', '/legal_profile/list'],
  listMailTemplates: ['GET', '/mail_template/list'],
  listMailboxes: ['GET', '/mailbox/list'],
  listMembers: ['GET', '/member/list'],
  listNotices: ['GET', '/notice/list'],
  listProspects: ['GET', '/prospect/list'],
  listReservations: ['GET', '/reservation/list'],
  listSavedConditions: ['GET', '/saved_condition/list'],
  listSendLogs: ['GET', '/send_log/list'],
  listSenderGroups: ['GET', '/sender_group/list'],
  listSenderProfiles: ['GET', '/sender_profile/list'],
  listSenders: ['GET', '/sender/list'],
  listSessions: ['GET', '/session/list'],
  listTags: ['GET', '/tag/list'],
  listTemplateFolders: ['GET', '/mail_template_folder/list'],
  listTemplateSamples: ['GET', '/mail_template/samples'],
  listTemplateVersions: ['GET', '/mail_template/:id/version/list'],
  login: ['POST', '/auth/login'],
  logout: ['POST', '/auth/logout', 'viewer'],
  lookAtImport: ['GET', '/import/:id/look'],
  moveMailTemplate: ['PUT', '/mail_template/:id/folder'],
  previewAttackList: ['GET', '/attack_list/preview'],
  previewMail: ['POST', '/mail/preview/:sender_id', 'viewer'],
  previewMailTemplate: ['POST', '/mail_template/:id/preview', 'viewer'],
  readNotices: ['POST', '/notice/read', 'viewer'],
  recordSendLog: ['POST', '/send_log'],
  removeSampleCompanies: ['POST', '/prospect/samples/remove'],
  removeTemplateFolder: ['POST', '/mail_template_folder/:id/remove'],
  renewRecoveryCodes: ['POST', '/auth/recovery_codes', 'viewer'],
  requestPasswordReset: ['POST', '/auth/password_reset'],
  reserve: ['POST', '/reservation'],
  resetPassword: ['POST', '/auth/password_reset/confirm'],
  restoreMailTemplate: ['POST', '/mail_template/:id/restore'],
  restoreProspect: ['POST', '/prospect/:id/restore'],
  restoreTemplateVersion: ['POST', '/mail_template/:id/version/:number/restore'],
  retryDelivery: ['POST', '/delivery/:id/retry'],
  retryFailures: ['POST', '/send_log/:id/retry'],
  runImport: ['POST', '/import/:id/run'],
  saveActiveProspect: ['POST', '/active_prospect/'],
  sendConfirmation: ['POST', '/mail/send/confirmation/:id', 'viewer'],
  sendInvitation: ['POST', '/invitation/:id/send', 'admin'],
  sendMail: ['POST', '/mail/send/:sender_id'],
  sendMemberPasswordReset: ['POST', '/member/:id/password_reset', 'admin'],
  sendReservationNow: ['POST', '/reservation/:id/send_now'],
  sendSenderConfirmation: ['POST', '/sender/:id/confirmation'],
  sendTemplateTest: ['POST', '/mail_template/:id/test'],
  setUp: ['POST', '/setup'],
  startExport: ['POST', '/export'],
  startImport: ['POST', '/import'],
  startOidc: ['POST', '/auth/oidc/start'],
  startTwoFactor: ['POST', '/auth/two_factor/start', 'viewer'],
  steerRun: ['PUT', '/send_log/:id'],
  takeSendGridEvents: ['POST', '/sendgrid/events'],
  testDomainHealth: ['POST', '/domain_health/send_test'],
  undoImport: ['POST', '/import/:id/undo'],
  updateAccount: ['PUT', '/account/:id', 'viewer', { 'update_info.company': 'admin' }],
  updateAccountRule: ['PUT', '/account_rule', 'admin'],
  updateClosingDay: ['PUT', '/closing_day/:id', 'admin'],
  updateCustomField: ['PUT', '/custom_field/:id', 'admin'],
  updateFirstSteps: ['PUT', '/first_steps', 'viewer'],
  updateInvitation: ['PUT', '/invitation/:id', 'admin'],
  updateLegalProfile: ['PUT', '/legal_profile/:sender_group_id', 'admin'],
  updateMailRetention: ['PUT', '/mail_retention', 'admin'],
  updateMailTemplate: ['PUT', '/mail_template/:id'],
  updateMailbox: ['PUT', '/mailbox/:id', 'sales', { 'update_info.is_shared': 'admin' }],
  updateMember: ['PUT', '/member/:id', 'admin'],
  updateNotice: ['PUT', '/notice/:id', 'viewer'],
  updateNoticeSettings: ['PUT', '/notice_setting', 'viewer'],
  updateOAuthApp: ['PUT', '/oauth_app/:provider', 'admin'],
  updateOidc: ['PUT', '/oidc', 'admin'],
  updatePerson: ['PUT', '/person/:id'],
  updateProspect: ['PUT', '/prospect/:id'],
  updateReply: ['PUT', '/reply/:id'],
  updateReservation: ['PUT', '/reservation/:id'],
  updateSavedCondition: ['PUT', '/saved_condition/:id'],
  updateSender: ['PUT', '/sender/:id'],
  updateSenderGroup: ['PUT', '/sender_group/:id', 'admin'],
  updateSenderLimit: ['PUT', '/sender_limit/:profile_id', 'admin'],
  updateSenderProfile: ['PUT', '/sender_profile/:id', 'sales', { 'update_info.active': 'admin' }],
  updateSendingRules: ['PUT', '/sending_rules/:sender_group_id', 'admin'],
  updateTag: ['PUT', '/tag/:id', 'admin'],
  updateTemplateFolder: ['PUT', '/mail_template_folder/:id'],
  uploadImport: ['PUT', '/import/:id/content'],
  viewAudit: ['GET', '/audit/view', 'admin'],
  viewDeliveries: ['GET', '/send_log/:id/deliveries'],
  viewLeftOut: ['GET', '/attack_list/left_out'],
  viewMailRetention: ['GET', '/mail_retention'],
  viewPersonalData: ['POST', '/personal_data/view', 'admin'],
  viewProspects: ['GET', '/prospect/view'],
  viewReplies: ['GET', '/reply/view'],
  viewReport: ['GET', '/report/view'],
  viewReservationCalendar: ['GET', '/reservation/calendar'],
  viewReservationTargets: ['GET', '/reservation/:id/targets'],
  viewReservations: ['GET', '/reservation/view'],
  viewRunOrigin: ['GET', '/send_log/:id/origin'],
  viewRunResults: ['GET', '/send_log/:id/results'],
  viewSendLogs: ['GET', '/send_log/view'],
  viewSuppressions: ['GET', '/suppression/view'],
  viewTimeline: ['GET', '/prospect/:id/timeline'],
} as const satisfies {
  readonly [Name in keyof Calls]: readonly [Calls[Name]['method'], Calls[Name]['path'], Role?, FieldNeeds?];
};
