"""Mails read by Python's email package: a JSON line for each file named on the command line."""
import email, email.policy, json, re, sys

for path in sys.argv[1:]:
    with open(path, 'rb') as file:
        mail = email.message_from_binary_file(file, policy=email.policy.default)
    part = lambda kind: mail.get_body((kind,)).get_content()
    sender = mail['from'].addresses[0]
    field = lambda name: None if mail[name] is None else str(mail[name])
    signature = field('dkim-signature')
    print(json.dumps({
        'subject': str(mail['subject']),
        'fromName': sender.display_name,
        'from': sender.addr_spec,
        'to': [address.addr_spec for address in mail['to'].addresses],
        'messageId': str(mail['message-id']),
        'date': mail['date'].datetime.isoformat(),
        'envelopeTo': str(mail['x-original-to']),
        'listUnsubscribe': field('list-unsubscribe'),
        'listUnsubscribePost': field('list-unsubscribe-post'),
        'signed': signature and re.search(r'\bh=([^;]*)', re.sub(r'\s', '', signature)).group(1).lower().split(':'),
        'text': part('plain'),
        'html': part('html'),
        'defects': [str(defect) for one in mail.walk() for defect in one.defects],
    }))
