// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "loopback_listener.h"

#include <csignal>
#include <cstdio>
#include <memory>
#include <string>

#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

namespace tailmark::test {

struct CertificateFree
{
    void operator()(X509* certificate) const { X509_free(certificate); }
    void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
    void operator()(SSL_CTX* context) const { SSL_CTX_free(context); }
    void operator()(SSL* session) const { SSL_free(session); }
};

/// A certificate with its key, made here and now.
struct Certificate
{
    std::unique_ptr<X509, CertificateFree> certificate;
    std::unique_ptr<EVP_PKEY, CertificateFree> key;
};

/// Makes certificates. Times in seconds from now.
class TestAuthority
{
public:
    explicit TestAuthority(const char* name = "Tailmark test authority")
    {
        m_own = make(name, "", nullptr, -3600, 86'400);
    }

    /// For `names` as OpenSSL writes them: "DNS:localhost,IP:127.0.0.1".
    Certificate issue(const std::string& names, long from = -3600, long until = 86'400) const
    {
        return make("test server", names, &m_own, from, until);
    }
    /// The authority's certificate as a file for `ca_file`.
    void writeTo(const std::string& path) const
    {
        std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "w"), std::fclose);
        if (!file || PEM_write_X509(file.get(), m_own.certificate.get()) != 1)
            std::abort();
    }

private:
    static Certificate make(const char* subject, const std::string& names, const Certificate* issuer,
                            long from, long until)
    {
        static std::atomic<long> serial{1};
        Certificate made;
        made.key.reset(EVP_EC_gen("P-256"));
        made.certificate.reset(X509_new());
        X509* const x = made.certificate.get();
        X509_set_version(x, 2);
        ASN1_INTEGER_set(X509_get_serialNumber(x), serial++);
        X509_gmtime_adj(X509_getm_notBefore(x), from);
        X509_gmtime_adj(X509_getm_notAfter(x), until);
        X509_NAME_add_entry_by_txt(X509_get_subject_name(x), "CN", MBSTRING_ASC,
                                   reinterpret_cast<const unsigned char*>(subject), -1, -1, 0);
        X509* const by = issuer ? issuer->certificate.get() : x;
        X509_set_issuer_name(x, X509_get_subject_name(by));
        X509_set_pubkey(x, made.key.get());
        extend(x, by, NID_basic_constraints, issuer ? "CA:FALSE" : "critical,CA:TRUE");
        if (!names.empty())
            extend(x, by, NID_subject_alt_name, names.c_str());
        X509_sign(x, issuer ? issuer->key.get() : made.key.get(), EVP_sha256());
        return made;
    }
    static void extend(X509* certificate, X509* issuer, int what, const char* value)
    {
        X509V3_CTX context;
        X509V3_set_ctx_nodb(&context);
        X509V3_set_ctx(&context, issuer, certificate, nullptr, nullptr, 0);
        X509_EXTENSION* const extension = X509V3_EXT_conf_nid(nullptr, &context, what, value);
        if (!extension)
            std::abort();
        X509_add_ext(certificate, extension, -1);
        X509_EXTENSION_free(extension);
    }

    Certificate m_own;
};

/// Speaks TLS on a free port of 127.0.0.1 for a plain server on another port of it: any server of the tests,
/// or a program, behind TLS. A thread for each connection.
class TlsFront
{
public:
    /// `protocol`: the one that ALPN settles on, "http/1.1" or "h2".
    TlsFront(int backendPort, const Certificate& certificate, std::string_view protocol = "http/1.1")
        : m_backendPort(backendPort),
          m_protocol(std::string(1, static_cast<char>(protocol.size())) + std::string(protocol)),
          m_context(SSL_CTX_new(TLS_server_method()))
    {
        std::signal(SIGPIPE, SIG_IGN); // OpenSSL writes to connections that may be gone
        SSL_CTX_use_certificate(m_context.get(), certificate.certificate.get());
        SSL_CTX_use_PrivateKey(m_context.get(), certificate.key.get());
        SSL_CTX_set_alpn_select_cb(m_context.get(), &TlsFront::chooseProtocol, this);
    }

    int port() const { return m_listener.port(); }
    /// Handshakes that were completed.
    int handshakes() const { return m_handshakes; }

private:
    static int chooseProtocol(SSL*, const unsigned char** out, unsigned char* outSize,
                              const unsigned char* offered, unsigned size, void* self)
    {
        const std::string& own = static_cast<TlsFront*>(self)->m_protocol;
        unsigned char* chosen = nullptr;
        if (SSL_select_next_proto(&chosen, outSize, reinterpret_cast<const unsigned char*>(own.data()),
                                  static_cast<unsigned>(own.size()), offered, size) != OPENSSL_NPN_NEGOTIATED)
            return SSL_TLSEXT_ERR_NOACK;
        *out = chosen;
        return SSL_TLSEXT_ERR_OK;
    }

    void serve(int client)
    {
        const timeval patience{5, 0}; // a client that never says anything does not hold the test up
        ::setsockopt(client, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
        const std::unique_ptr<SSL, CertificateFree> session(SSL_new(m_context.get()));
        SSL_set_fd(session.get(), client);
        if (SSL_accept(session.get()) != 1) {
            ERR_clear_error();
            return;
        }
        ++m_handshakes;
        if (const int backend = connectLoopback(m_backendPort); backend >= 0) {
            relay(session.get(), client, backend);
            ::close(backend);
        }
    }

    void relay(SSL* session, int client, int backend)
    {
        char bytes[16'384];
        while (!m_listener.stopping()) {
            pollfd ready[] = {{client, POLLIN, 0}, {backend, POLLIN, 0}};
            if (SSL_pending(session) == 0 && ::poll(ready, 2, 50) <= 0)
                continue;
            if (SSL_pending(session) > 0 || ready[0].revents != 0) {
                const int n = SSL_read(session, bytes, sizeof bytes);
                if (n <= 0 || !writeAll(backend, {bytes, static_cast<std::size_t>(n)}))
                    break;
            }
            if (ready[1].revents != 0) {
                const ssize_t n = ::recv(backend, bytes, sizeof bytes, 0);
                if (n <= 0 || SSL_write(session, bytes, static_cast<int>(n)) != n)
                    break;
            }
        }
        ERR_clear_error();
    }

    const int m_backendPort;
    const std::string m_protocol;
    std::unique_ptr<SSL_CTX, CertificateFree> m_context;
    std::atomic<int> m_handshakes{0};
    LoopbackListener m_listener{[this](int client) { serve(client); }};
};

} // namespace tailmark::test
